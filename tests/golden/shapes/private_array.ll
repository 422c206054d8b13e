; A private array with the same contents for all work-items: where it is read uniformly the value is uniform.
;! opt: --analysis shapes
define spir_kernel void @k(ptr addrspace(1) align 4 %a, i32 %n) {
entry:
  %t = alloca [8 x i32], align 16
  %i = call i64 @_Z12get_local_idj(i32 0)
  br label %fill

fill:
  %k = phi i64 [ 0, %entry ], [ %k.next, %fill ]
  %p = getelementptr [8 x i32], ptr %t, i64 0, i64 %k
  %narrow = trunc i64 %k to i32
  %v = mul i32 %narrow, %n
  store i32 %v, ptr %p, align 4
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, 8
  br i1 %more, label %fill, label %read

read:
  %q = getelementptr [8 x i32], ptr %t, i64 0, i64 3
  %uniform = load i32, ptr %q, align 4
  %low = and i64 %i, 7
  %r = getelementptr [8 x i32], ptr %t, i64 0, i64 %low
  %varying = load i32, ptr %r, align 4
  %sum = add i32 %uniform, %varying
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %sum, ptr addrspace(1) %at, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) align 4 %a, i32 %n) {
entry:
  %t = alloca [8 x i32], align 16                                       ; private, offset uni = 0
  %i = call i64 @_Z12get_local_idj(i32 0)                               ; cont [0, 4095]
  br label %fill

fill:
  %k = phi i64 [ 0, %entry ], [ %k.next, %fill ]                        ; uni [0, 9223372036854775807]
  %p = getelementptr [8 x i32], ptr %t, i64 0, i64 %k                   ; private, offset uni
  %narrow = trunc i64 %k to i32                                         ; uni
  %v = mul i32 %narrow, %n                                              ; uni
  store i32 %v, ptr %p, align 4
  %k.next = add nuw nsw i64 %k, 1                                       ; uni [1, 9223372036854775807]
  %more = icmp ult i64 %k.next, 8                                       ; uni
  br i1 %more, label %fill, label %read                                 ; uniform

read:
  %q = getelementptr [8 x i32], ptr %t, i64 0, i64 3                    ; private, offset uni = 12
  %uniform = load i32, ptr %q, align 4                                  ; uni
  %low = and i64 %i, 7                                                  ; x:varying [0, 7]
  %r = getelementptr [8 x i32], ptr %t, i64 0, i64 %low                 ; private, offset x:varying [0, 28]
  %varying = load i32, ptr %r, align 4                                  ; x:varying
  %sum = add i32 %uniform, %varying                                     ; x:varying
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %i                  ; stride(4)
  store i32 %sum, ptr addrspace(1) %at, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
