source_filename = "a \22b\22.cl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm ".globl thing"

%opaque = type opaque
%"quoted type" = type { ptr, [2 x %opaque.0] }
%opaque.0 = type { i32 }

$group = comdat any

@a = private unnamed_addr addrspace(2) constant [2 x i8] c"x\00", align 1
@b = internal addrspace(3) global [4 x float] undef, align 16
@c = dso_local local_unnamed_addr global i32 0, section ".data.x", comdat($group), align 4
@d = external thread_local(initialexec) global i64
@e = linkonce_odr hidden constant %"quoted type" zeroinitializer, align 8, !note !0
@f = weak_odr dllexport externally_initialized global ptr @e, partition "p"
@0 = private constant i8 3
@"with \22quotes\22 and \5C" = global i8 1
@alias = internal alias i32, ptr @c
@g = global i32 5, no_sanitize_address, code_model "large"

define ptr @use() {
  %x = load i8, ptr @0
  %y = load i8, ptr @"with \22quotes\22 and \5C"
  ret ptr @alias
}

!0 = !{!"text with !7 and \22", i32 3}
