; There is no other function, and every declaration is used.
;! shows: leaves alone
;! opt: -p keep-only
define void @kept(ptr %p) {
  %x = call float @used(float 1.000000e+00)
  store float %x, ptr %p, align 4
  ret void
}

declare float @used(float)
; ---- expected

define void @kept(ptr %p) {
  %x = call float @used(float 1.000000e+00)
  store float %x, ptr %p, align 4
  ret void
}

declare float @used(float)
