; The remainder and the quotient of the same numbers are one call, of vectors too; those of others stay.
;! shows: fires
;! opt: -p fuse-sincos --remarks fuse-sincos
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %x = load float, ptr addrspace(1) %a, align 4
  %y = load float, ptr addrspace(1) %b, align 4
  %n = call i32 @_Z15__weft_quotientff(float %x, float %y)
  %r = call float @_Z9remainderff(float %x, float %y)
  %s = call float @_Z9remainderff(float %y, float %x)
  %v = load <4 x double>, ptr addrspace(1) %a, align 32
  %w = load <4 x double>, ptr addrspace(1) %b, align 32
  %t = call <4 x double> @_Z9remainderDv4_dS_(<4 x double> %v, <4 x double> %w)
  %m = call <4 x i32> @_Z15__weft_quotientDv4_dS_(<4 x double> %v, <4 x double> %w)
  %d = fsub float %r, %s
  store float %d, ptr addrspace(1) %a, align 4
  store i32 %n, ptr addrspace(1) %b, align 4
  store <4 x double> %t, ptr addrspace(1) %a, align 32
  store <4 x i32> %m, ptr addrspace(1) %b, align 16
  ret void
}

declare float @_Z9remainderff(float, float)

declare i32 @_Z15__weft_quotientff(float, float)

declare <4 x double> @_Z9remainderDv4_dS_(<4 x double>, <4 x double>)

declare <4 x i32> @_Z15__weft_quotientDv4_dS_(<4 x double>, <4 x double>)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %quotient = alloca <4 x i32>, align 16
  %quotient.1 = alloca i32, align 4
  %x = load float, ptr addrspace(1) %a, align 4
  %y = load float, ptr addrspace(1) %b, align 4
  %r = call float @_Z6remquoffPU9CLprivatei(float %x, float %y, ptr %quotient.1)
  %n = load i32, ptr %quotient.1, align 4
  %s = call float @_Z9remainderff(float %y, float %x)
  %v = load <4 x double>, ptr addrspace(1) %a, align 32
  %w = load <4 x double>, ptr addrspace(1) %b, align 32
  %t = call <4 x double> @_Z6remquoDv4_dS_PU9CLprivateDv4_i(<4 x double> %v, <4 x double> %w, ptr %quotient)
  %m = load <4 x i32>, ptr %quotient, align 16
  %d = fsub float %r, %s
  store float %d, ptr addrspace(1) %a, align 4
  store i32 %n, ptr addrspace(1) %b, align 4
  store <4 x double> %t, ptr addrspace(1) %a, align 32
  store <4 x i32> %m, ptr addrspace(1) %b, align 16
  ret void
}

declare float @_Z9remainderff(float, float)

declare i32 @_Z15__weft_quotientff(float, float)

declare <4 x double> @_Z9remainderDv4_dS_(<4 x double>, <4 x double>)

declare <4 x i32> @_Z15__weft_quotientDv4_dS_(<4 x double>, <4 x double>)

declare float @_Z6remquoffPU9CLprivatei(float, float, ptr)

declare <4 x double> @_Z6remquoDv4_dS_PU9CLprivateDv4_i(<4 x double>, <4 x double>, ptr)
; passed: fuse-sincos: @k: Fused: remainder and quotient of the same argument fused into one call
; passed: fuse-sincos: @k: Fused: remainder and quotient of the same argument fused into one call
