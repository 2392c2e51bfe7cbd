; ModuleID = 'spin.7dcbaf'
source_filename = "spin.7dcbaf"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
@_ZN4spin4LOCK17h0E = internal global <{ [1 x i8] }> zeroinitializer, align 1
@_ZN4spin4DATA17h1E = internal global <{ [4 x i8] }> zeroinitializer, align 4
define internal void @_ZN4spin4lock17h2E() unnamed_addr #0 {
start:
  br label %bb1
bb1:
  %0 = cmpxchg weak ptr @_ZN4spin4LOCK17h0E, i8 0, i8 1 acquire monotonic, align 1
  %1 = extractvalue { i8, i1 } %0, 0
  %2 = extractvalue { i8, i1 } %0, 1
  %_4 = zext i1 %2 to i8
  %_5 = trunc nuw i8 %_4 to i1
  br i1 %_5, label %bb3, label %bb2
bb2:
  call void @llvm.x86.sse2.pause()
  br label %bb1
bb3:
  ret void
}
define internal ptr @worker(ptr %arg) unnamed_addr #0 {
start:
  call void @_ZN4spin4lock17h2E()
  %v = load i32, ptr @_ZN4spin4DATA17h1E, align 4
  %n = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %v, i32 1)
  %r = extractvalue { i32, i1 } %n, 0
  %o = extractvalue { i32, i1 } %n, 1
  br i1 %o, label %panic, label %ok
ok:
  store i32 %r, ptr @_ZN4spin4DATA17h1E, align 4
  store atomic i8 0, ptr @_ZN4spin4LOCK17h0E release, align 1
  ret ptr null
panic:
  call void @_ZN4core9panicking11panic_const24panic_const_add_overflow17h3E(ptr null)
  unreachable
}
define i32 @main(i32 %0, ptr %1) {
  %t = alloca [2 x i64], align 8
  %p = getelementptr inbounds [2 x i64], ptr %t, i64 0, i64 1
  %a = call i32 @pthread_create(ptr %t, ptr null, ptr @worker, ptr null)
  %b = call i32 @pthread_create(ptr %p, ptr null, ptr @worker, ptr null)
  %x = load i64, ptr %t, align 8
  %y = load i64, ptr %p, align 8
  %c = call i32 @pthread_join(i64 %x, ptr null)
  %d = call i32 @pthread_join(i64 %y, ptr null)
  %v = load i32, ptr @_ZN4spin4DATA17h1E, align 4
  %ok = icmp eq i32 %v, 2
  br i1 %ok, label %good, label %bad
good:
  ret i32 0
bad:
  call void @abort()
  unreachable
}
declare void @llvm.x86.sse2.pause()
declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)
declare void @_ZN4core9panicking11panic_const24panic_const_add_overflow17h3E(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @abort()
attributes #0 = { nonlazybind uwtable }
