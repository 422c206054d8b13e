; Other functions and declarations that nobody uses go, and so does `convergent`.
;! shows: fires
;! opt: -p keep-only --kernel kept
define void @kept(ptr %p) #0 {
  %x = call float @used(float 1.000000e+00)
  store float %x, ptr %p, align 4
  ret void
}

define void @other(ptr %p) #0 {
  call void @unused(ptr %p)
  ret void
}

declare float @used(float) #1
declare void @unused(ptr)

attributes #0 = { convergent nounwind }
attributes #1 = { convergent memory(none) }
; ---- expected

define void @kept(ptr %p) #0 {
  %x = call float @used(float 1.000000e+00)
  store float %x, ptr %p, align 4
  ret void
}

declare float @used(float) #1

attributes #0 = { nounwind }
attributes #1 = { memory(none) }
