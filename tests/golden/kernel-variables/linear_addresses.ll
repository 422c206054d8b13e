; An address that is linear in the ids is recomputed although that takes many instructions: one in memory would be
; a gather in SIMD lanes. So many instructions that are not linear are kept.
;! opt: -p isolate-barriers,place-implicit-barriers --analysis kernel-variables
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @_Z12get_local_idj(i32 0)
  %y = call i64 @_Z12get_local_idj(i32 1)
  %x.i = trunc i64 %x to i32
  %y.i = trunc i64 %y to i32
  %w = add i32 %n, 1
  %row = mul i32 %y.i, %w
  %at = add i32 %row, %x.i
  %at.1 = add i32 %at, %n
  %twice = shl i32 %at.1, 1
  %at.2 = sub i32 %twice, %x.i
  %at.3 = add i32 %at.2, 5
  %index = sext i32 %at.3 to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %index
  %bits = xor i32 %x.i, %at
  %bits.1 = lshr i32 %bits, 2
  %bits.2 = xor i32 %bits.1, %at.1
  %bits.3 = and i32 %bits.2, 255
  %bits.4 = xor i32 %bits.3, %bits
  %bits.5 = lshr i32 %bits.4, 1
  %bits.6 = and i32 %bits.5, %bits.1
  %bits.7 = xor i32 %bits.6, %bits.2
  store i32 %bits.7, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %v = load i32, ptr addrspace(1) %p, align 4
  %sum = add i32 %v, %bits.7
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry.barrier:
  call void @weft.barrier()
  br label %entry

entry:
  %x = call i64 @_Z12get_local_idj(i32 0)
  %y = call i64 @_Z12get_local_idj(i32 1)
  %x.i = trunc i64 %x to i32
  %y.i = trunc i64 %y to i32
  %w = add i32 %n, 1
  %row = mul i32 %y.i, %w
  %at = add i32 %row, %x.i
  %at.1 = add i32 %at, %n
  %twice = shl i32 %at.1, 1
  %at.2 = sub i32 %twice, %x.i
  %at.3 = add i32 %at.2, 5
  %index = sext i32 %at.3 to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %index               ; recomputed in each region
  %bits = xor i32 %x.i, %at
  %bits.1 = lshr i32 %bits, 2
  %bits.2 = xor i32 %bits.1, %at.1
  %bits.3 = and i32 %bits.2, 255
  %bits.4 = xor i32 %bits.3, %bits
  %bits.5 = lshr i32 %bits.4, 1
  %bits.6 = and i32 %bits.5, %bits.1
  %bits.7 = xor i32 %bits.6, %bits.2                                    ; context array
  store i32 %bits.7, ptr addrspace(1) %p, align 4
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:
  %v = load i32, ptr addrspace(1) %p, align 4
  %sum = add i32 %v, %bits.7
  store i32 %sum, ptr addrspace(1) %p, align 4
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier()
  ret void
}

declare i64 @_Z12get_local_idj(i32)

declare void @_Z7barrierj(i32) #0

declare void @weft.barrier() convergent

attributes #0 = { convergent }
