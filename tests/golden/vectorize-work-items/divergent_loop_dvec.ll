; As long as all lanes are active the loop runs without masks, then each lane runs the rest alone.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 8,1,1 --divergent dvec
;! launch: 16 / 8
;! arg a: arange(16, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  br label %header

header:
  %n = phi i32 [ 0, %entry ], [ %n.next, %body ]
  %s = phi i32 [ 7, %entry ], [ %s.next, %body ]
  %more = icmp slt i32 %n, %v
  br i1 %more, label %body, label %exit

body:
  %s.next = mul i32 %s, 3
  %n.next = add nsw i32 %n, 1
  br label %header

exit:
  %r = phi i32 [ %s, %header ]
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %lanes = alloca [8 x i32], align 64
  %lanes.1 = alloca [8 x i32], align 64
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.x, 8
  %1 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %1, align 8
  %base.x = add i64 %0, %offset.x
  %2 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.x.simd

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ]
  %gid.x = add nuw nsw i32 %2, %lane.0
  %3 = sext i32 %2 to i64
  %4 = sext i32 %lane.0 to i64
  %5 = add i64 %3, %4
  br label %entry.simd

entry.simd:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %5
  %v = load <8 x i32>, ptr addrspace(1) %p, align 4
  br label %header.simd

exit.simd:
  %r = phi <8 x i32> [ %20, %simd.left ]
  store <8 x i32> %r, ptr addrspace(1) %p, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end

simd.left:
  br label %exit.simd

header.simd:
  %n = phi i32 [ 0, %entry.simd ], [ %n.next, %simd.all ]
  %s = phi i32 [ 7, %entry.simd ], [ %s.next, %simd.all ]
  %6 = insertelement <8 x i32> poison, i32 %n, i32 0
  %7 = shufflevector <8 x i32> %6, <8 x i32> poison, <8 x i32> zeroinitializer
  %more = icmp slt <8 x i32> %7, %v
  %8 = xor <8 x i1> %more, splat (i1 true)
  %9 = bitcast <8 x i1> %8 to i8
  %10 = icmp ne i8 %9, 0
  br i1 %10, label %simd.partial, label %simd.all

simd.partial:
  %11 = bitcast <8 x i1> splat (i1 true) to i8
  %12 = icmp ne i8 %11, 0
  br i1 %12, label %simd.masked, label %simd.done

simd.masked:
  store <8 x i32> %v, ptr %lanes.1, align 1
  %13 = bitcast <8 x i1> splat (i1 true) to i8
  %14 = zext i8 %13 to i64
  %15 = bitcast <8 x i1> zeroinitializer to i8
  %16 = zext i8 %15 to i64
  %17 = icmp ne i64 %14, 0
  br i1 %17, label %simd.turn, label %simd.turns.done

simd.done:
  %18 = phi <8 x i1> [ splat (i1 true), %simd.partial ], [ zeroinitializer, %simd.turns.done ]
  %19 = phi <8 x i1> [ zeroinitializer, %simd.partial ], [ %30, %simd.turns.done ]
  %20 = phi <8 x i32> [ poison, %simd.partial ], [ %31, %simd.turns.done ]
  br label %simd.left

simd.all:
  %s.next = mul i32 %s, 3
  %n.next = add nsw i32 %n, 1
  br label %header.simd

simd.turn:
  %lanes.left = phi i64 [ %14, %simd.masked ], [ %27, %simd.turn.next ]
  %left = phi i64 [ %16, %simd.masked ], [ %25, %simd.turn.next ]
  %lane = call i64 @llvm.cttz.i64(i64 %lanes.left, i1 true)
  %21 = mul i64 %lane, 4
  %22 = getelementptr inbounds i8, ptr %lanes.1, i64 %21
  %23 = load i32, ptr %22, align 1
  br label %header.serial

simd.turn.next:
  %mine = phi i64 [ 1, %simd.turn.left ]
  %24 = shl i64 %mine, %lane
  %25 = or i64 %left, %24
  %26 = sub i64 %lanes.left, 1
  %27 = and i64 %lanes.left, %26
  %28 = icmp ne i64 %27, 0
  br i1 %28, label %simd.turn, label %simd.turns.done

simd.turns.done:
  %left.1 = phi i64 [ %16, %simd.masked ], [ %25, %simd.turn.next ]
  %29 = trunc i64 %left.1 to i8
  %30 = bitcast i8 %29 to <8 x i1>
  %31 = load <8 x i32>, ptr %lanes, align 1
  br label %simd.done

header.serial:
  %n.1 = phi i32 [ %n.next.1, %body.serial ], [ %n, %simd.turn ]
  %s.1 = phi i32 [ %s.next.1, %body.serial ], [ %s, %simd.turn ]
  %more.1 = icmp slt i32 %n.1, %23
  br i1 %more.1, label %body.serial, label %simd.turn.left

body.serial:
  %s.next.1 = mul i32 %s.1, 3
  %n.next.1 = add nsw i32 %n.1, 1
  br label %header.serial

simd.turn.left:
  %32 = mul i64 %lane, 4
  %33 = getelementptr inbounds i8, ptr %lanes, i64 %32
  store i32 %s.1, ptr %33, align 1
  br label %simd.turn.next
}

declare i64 @llvm.cttz.i64(i64, i1)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
