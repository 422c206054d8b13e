%s = type { i32, i64 }

$f = comdat any

@personality = external global i8

define internal fastcc noundef nonnull align 16 dereferenceable(8) ptr @f(ptr noalias noundef readonly captures(none) %0, i32 signext range(i32 0, 17) %n, ptr byval(%s) align 8 %s, ptr captures(address, read_provenance) %1, ptr writeonly initializes((0, 4), (8, 16)) %out) unnamed_addr #0 section ".text.f" comdat($f) align 32 gc "statepoint-example" personality ptr @personality !note !0 !other !{i32 1} {
  ret ptr %0
}

declare !note !0 void @g(i32, ...) local_unnamed_addr #1

declare spir_func void @h(<4 x float> noundef nofpclass(nan inf), ptr addrspace(1) dead_on_unwind writable sret({ i32 }) align 4) nounwind memory(argmem: readwrite, inaccessiblemem: read)

define weak hidden x86_regcallcc range(i8 1, 3) i8 @k(float %x) nounwind willreturn "quoted"="value" "alone" {
  %c = call nnan ninf nofpclass(inf) float @abs(float nofpclass(nan) %x)
  %p = tail call fastcc noundef nonnull ptr @f(ptr noundef nonnull dereferenceable_or_null(16) null, i32 signext 3, ptr byval(%s) align 8 @personality, ptr null, ptr null) #1
  call void (i32, ...) @g(i32 1, double 2.0, ptr @g) nounwind
  call void (i32, ...) @g(i32 1)
  %indirect = call addrspace(0) i32 %p(i32 4) #2
  notail call void @none()
  ret i8 2
}

declare float @abs(float)
declare void @none()

attributes #0 = { nounwind memory(argmem: readwrite) uwtable(sync) "a"="b" vscale_range(1,16) allocsize(1) }
attributes #1 = { alwaysinline cold }
attributes #2 = { "x" }

!0 = !{}
