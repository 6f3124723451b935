; What all launches of a program or a shared object have in common: which policy holds, what is on the device already, what people are told.
; It is linked into modules whose regions may run on the host. All of it is written as it is to run, and to optimise it in each module would take
; longer than everything else that a launch's decision costs a compilation: optnone. Numbers and pointers have the sizes of a 64-bit target.
;
; Policies: 0 not read yet, 1 the device, 2 the host where it may, 3 as predicted; and added: 4 to tell each launch, 8 to tell sums at the end; with one
; of these 16 where OMP_TARGET_OFFLOAD keeps all on the host.

; What is known of a region when the program runs. The library ipda-rt knows the first 96 bytes.
;   0 name, 1 next region that was launched, 2 launches on the host, 3 on the device, 4 entries to ask about, 5 how many,
;   6 whether it is in the list, 7 decision table, 8 its length, 9 prepared numbers, 10 how many, 11 whether it was offered to the library,
;   12 what that wants: 1 times, 13 the library's own, 14 the function that predicts, 15 the names of the variables that it reads, one behind the
;   other, 16 how many, 17 whether its host version starts teams, 18 what the prediction takes for granted, as words, or null
%ipda.region = type { ptr, ptr, i64, i64, ptr, i32, i32, ptr, i64, ptr, i64, i32, i32, ptr, ptr, ptr, i32, i32, ptr }

@__ipda_policy = linkonce_odr hidden global i32 0, align 4
@__ipda_launched = linkonce_odr hidden global ptr null, align 8
; Of how many threads all teams of a host version consist at most, and in the upper half one of them; 0 not asked yet.
@__ipda_teams = linkonce_odr hidden global i64 0, align 8

@ipda.required = private unnamed_addr constant [19 x i8] c"OMP_TARGET_OFFLOAD\00"
@ipda.mandatory = private unnamed_addr constant [10 x i8] c"mandatory\00"
@ipda.disabled = private unnamed_addr constant [9 x i8] c"disabled\00"
@ipda.threads = private unnamed_addr constant [16 x i8] c"OMP_NUM_THREADS\00"
@ipda.teams.most = private unnamed_addr constant [23 x i8] c"KMP_TEAMS_THREAD_LIMIT\00"
@ipda.devices = private unnamed_addr constant [20 x i8] c"omp_get_num_devices\00"
@ipda.offload = private unnamed_addr constant [13 x i8] c"IPDA_OFFLOAD\00"
@ipda.always = private unnamed_addr constant [7 x i8] c"always\00"
@ipda.never = private unnamed_addr constant [6 x i8] c"never\00"
@ipda.model = private unnamed_addr constant [6 x i8] c"model\00"
@ipda.reproducible = private unnamed_addr constant [18 x i8] c"IPDA_REPRODUCIBLE\00"
@ipda.yes = private unnamed_addr constant [2 x i8] c"1\00"
@ipda.no = private unnamed_addr constant [2 x i8] c"0\00"
@ipda.reproducible.words = private unnamed_addr constant [5 x i8] c"0, 1\00"
@ipda.log = private unnamed_addr constant [9 x i8] c"IPDA_LOG\00"
@ipda.calls = private unnamed_addr constant [6 x i8] c"calls\00"
@ipda.summary = private unnamed_addr constant [8 x i8] c"summary\00"
@ipda.wrong = private unnamed_addr constant [67 x i8] c"ipda: %s=%s: not one of %s; it is taken as if it had not been set\0A\00"
@ipda.offload.words = private unnamed_addr constant [21 x i8] c"always, never, model\00"
@ipda.log.words = private unnamed_addr constant [15 x i8] c"calls, summary\00"
@ipda.told = private unnamed_addr constant [71 x i8] c"ipda: %s%s: on the %s; predicted %.4g s on the host, %.4g s there%s%s\0A\00"
@ipda.told.plain = private unnamed_addr constant [25 x i8] c"ipda: %s%s: on the %s%s\0A\00"
@ipda.value = private unnamed_addr constant [13 x i8] c"%s%s = %.15g\00"
@ipda.open = private unnamed_addr constant [3 x i8] c" (\00"
@ipda.comma = private unnamed_addr constant [3 x i8] c", \00"
@ipda.sum = private unnamed_addr constant [57 x i8] c"ipda: %s: %lld launches on the host, %lld on the device\0A\00"
@ipda.host = private unnamed_addr constant [5 x i8] c"host\00"
@ipda.device = private unnamed_addr constant [7 x i8] c"device\00"
@ipda.home = private unnamed_addr constant [21 x i8] c"host, by the runtime\00"
@ipda.nothing = private unnamed_addr constant [1 x i8] zeroinitializer
@ipda.there = private unnamed_addr constant [34 x i8] c", since its data is already there\00"
@ipda.within = private unnamed_addr constant [76 x i8] c", since teams start on the host only outside of parallel regions and nowait\00"

declare ptr @getenv(ptr)
declare ptr @secure_getenv(ptr)
declare i32 @strcasecmp(ptr, ptr)
declare i32 @dprintf(i32, ptr, ...)
declare i32 @snprintf(ptr, i64, ptr, ...)
declare i64 @strlen(ptr)
declare i32 @atexit(ptr)
declare i32 @omp_get_num_devices()
declare i32 @omp_get_default_device()
declare i32 @omp_get_max_threads()
declare i32 @omp_get_level()
declare i32 @omp_get_active_level()
declare i32 @omp_get_max_active_levels()
declare i32 @omp_get_max_teams()
declare i32 @omp_get_num_procs()
declare i32 @omp_get_thread_limit()
declare i32 @omp_get_teams_thread_limit()
declare i32 @atoi(ptr)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @omp_target_is_present(ptr, i32)

; The library's, where the program has it.
declare extern_weak i32 @__ipda_rt_region(ptr)
declare extern_weak i64 @__ipda_rt_choose(ptr, i32, double, double, ptr, i32)
declare extern_weak void @__ipda_rt_end(ptr, i64)

; Where the runtime that launches is not in the sight of all objects, libomp does not find it, and says that there is no device.
declare extern_weak i32 @dladdr(ptr, ptr)
declare extern_weak ptr @dlopen(ptr, i32)
declare extern_weak ptr @dlsym(ptr, ptr)

; A variable of the environment; an empty one is as good as none, and one that whoever starts a program with more rights than theirs has set.
; OpenMP's own are read as OpenMP's runtime reads them.
define linkonce_odr hidden ptr @__ipda_variable(ptr %name) cold noinline nounwind optnone {
start:
  %word = call ptr @secure_getenv(ptr %name)
  %is_set = icmp ne ptr %word, null
  br i1 %is_set, label %look, label %end

look:
  %first = load i8, ptr %word, align 1
  %is_empty = icmp eq i8 %first, 0
  %value = select i1 %is_empty, ptr null, ptr %word
  br label %end

end:
  %result = phi ptr [ null, %start ], [ %value, %look ]
  ret ptr %result
}

; How many devices the runtime that launches has. omp_get_num_devices is libomp's in a program that is linked with it, which asks libomptarget
; where all objects of the program can see that; in an object that was opened later, they need not.
define linkonce_odr hidden i32 @__ipda_devices() cold noinline nounwind optnone {
start:
  %names = alloca [4 x ptr], align 8
  %count = call i32 @omp_get_num_devices()
  %has_some = icmp sgt i32 %count, 0
  br i1 %has_some, label %known, label %look

look:
  %has_dladdr = icmp ne ptr @dladdr, null
  %has_dlopen = icmp ne ptr @dlopen, null
  %has_dlsym = icmp ne ptr @dlsym, null
  %has_two = and i1 %has_dladdr, %has_dlopen
  %has_all = and i1 %has_two, %has_dlsym
  br i1 %has_all, label %name, label %known

name:
  ; A function that no other library has.
  %found = call i32 @dladdr(ptr @omp_target_is_present, ptr %names)
  %is_found = icmp ne i32 %found, 0
  br i1 %is_found, label %open, label %known

open:
  ; RTLD_LAZY and RTLD_NOLOAD: it is there already, and stays.
  %file = load ptr, ptr %names, align 8
  %library = call ptr @dlopen(ptr %file, i32 5)
  %is_open = icmp ne ptr %library, null
  br i1 %is_open, label %find, label %known

find:
  %own = call ptr @dlsym(ptr %library, ptr @ipda.devices)
  %has_own = icmp ne ptr %own, null
  br i1 %has_own, label %ask, label %known

ask:
  %own_count = call i32 %own()
  br label %known

known:
  %result = phi i32 [ %count, %start ], [ %count, %look ], [ %count, %name ], [ %count, %open ], [ %count, %find ], [ %own_count, %ask ]
  ret i32 %result
}

define linkonce_odr hidden i32 @__ipda_read_policy() cold noinline nounwind optnone {
start:
  %required = call ptr @getenv(ptr @ipda.required)
  %is_required = icmp ne ptr %required, null
  br i1 %is_required, label %word, label %devices

word:
  %to_mandatory = call i32 @strcasecmp(ptr %required, ptr @ipda.mandatory)
  %to_disabled = call i32 @strcasecmp(ptr %required, ptr @ipda.disabled)
  %is_mandatory = icmp eq i32 %to_mandatory, 0
  %is_disabled = icmp eq i32 %to_disabled, 0
  %is_decided = or i1 %is_mandatory, %is_disabled
  br i1 %is_decided, label %offload, label %devices

devices:
  %count = call i32 @__ipda_devices()
  %has_none = icmp slt i32 %count, 1
  br label %offload

offload:
  %is_settled = phi i1 [ true, %word ], [ %has_none, %devices ]
  %is_without = phi i1 [ %is_disabled, %word ], [ false, %devices ]
  %word_offload = call ptr @__ipda_variable(ptr @ipda.offload)
  %has_offload = icmp ne ptr %word_offload, null
  br i1 %has_offload, label %always, label %reproducible

always:
  %to_always = call i32 @strcasecmp(ptr %word_offload, ptr @ipda.always)
  %is_always = icmp eq i32 %to_always, 0
  br i1 %is_always, label %reproducible, label %never

never:
  %to_never = call i32 @strcasecmp(ptr %word_offload, ptr @ipda.never)
  %is_never = icmp eq i32 %to_never, 0
  br i1 %is_never, label %reproducible, label %model

model:
  %to_model = call i32 @strcasecmp(ptr %word_offload, ptr @ipda.model)
  %is_model = icmp eq i32 %to_model, 0
  br i1 %is_model, label %reproducible, label %wrong_offload

wrong_offload:
  call i32 (i32, ptr, ...) @dprintf(i32 2, ptr @ipda.wrong, ptr @ipda.offload, ptr %word_offload, ptr @ipda.offload.words)
  br label %reproducible

reproducible:
  %asked = phi i32 [ 3, %offload ], [ 1, %always ], [ 2, %never ], [ 3, %model ], [ 3, %wrong_offload ]
  %word_reproducible = call ptr @__ipda_variable(ptr @ipda.reproducible)
  %has_reproducible = icmp ne ptr %word_reproducible, null
  br i1 %has_reproducible, label %yes, label %log

yes:
  %to_yes = call i32 @strcasecmp(ptr %word_reproducible, ptr @ipda.yes)
  %is_yes = icmp eq i32 %to_yes, 0
  br i1 %is_yes, label %log, label %no

no:
  %to_no = call i32 @strcasecmp(ptr %word_reproducible, ptr @ipda.no)
  %is_no = icmp eq i32 %to_no, 0
  br i1 %is_no, label %log, label %wrong_reproducible

wrong_reproducible:
  call i32 (i32, ptr, ...) @dprintf(i32 2, ptr @ipda.wrong, ptr @ipda.reproducible, ptr %word_reproducible, ptr @ipda.reproducible.words)
  br label %log

log:
  %is_reproducible = phi i1 [ false, %reproducible ], [ true, %yes ], [ false, %no ], [ false, %wrong_reproducible ]
  %is_fixed = or i1 %is_settled, %is_reproducible
  %policy = select i1 %is_fixed, i32 1, i32 %asked
  %word_log = call ptr @__ipda_variable(ptr @ipda.log)
  %has_log = icmp ne ptr %word_log, null
  br i1 %has_log, label %calls, label %end

calls:
  %to_calls = call i32 @strcasecmp(ptr %word_log, ptr @ipda.calls)
  %is_calls = icmp eq i32 %to_calls, 0
  br i1 %is_calls, label %end, label %summary

summary:
  %to_summary = call i32 @strcasecmp(ptr %word_log, ptr @ipda.summary)
  %is_summary = icmp eq i32 %to_summary, 0
  br i1 %is_summary, label %end, label %wrong_log

wrong_log:
  call i32 (i32, ptr, ...) @dprintf(i32 2, ptr @ipda.wrong, ptr @ipda.log, ptr %word_log, ptr @ipda.log.words)
  br label %end

end:
  %told = phi i32 [ 0, %log ], [ 4, %calls ], [ 8, %summary ], [ 0, %wrong_log ]
  %is_told = icmp ne i32 %told, 0
  %is_worth_telling = and i1 %is_told, %is_without
  %place = select i1 %is_worth_telling, i32 16, i32 0
  %policy_and_told = or i32 %policy, %told
  %all = or i32 %policy_and_told, %place
  ; Of several threads that come here at once, the first one's word counts; all read the same.
  store atomic i32 %all, ptr @__ipda_policy monotonic, align 4
  ret i32 %all
}

; The first number of a variable of the environment, or as good as no limit.
define linkonce_odr hidden i32 @__ipda_limit(ptr %name) cold noinline nounwind optnone {
start:
  %word = call ptr @__ipda_variable(ptr %name)
  %is_set = icmp ne ptr %word, null
  br i1 %is_set, label %read, label %end

read:
  %number = call i32 @atoi(ptr %word)
  %is_positive = icmp sgt i32 %number, 0
  %limit = select i1 %is_positive, i32 %number, i32 2147483647
  br label %end

end:
  %result = phi i32 [ 2147483647, %start ], [ %limit, %read ]
  ret i32 %result
}

; What stays as it is while the program runs: libomp has as many threads in teams as processors, unless a variable of the environment sets fewer.
; Of omp_set_num_threads they take no notice.
define linkonce_odr hidden i64 @__ipda_count_teams() cold noinline nounwind optnone {
start:
  %processors = call i32 @omp_get_num_procs()
  %most = call i32 @__ipda_limit(ptr @ipda.teams.most)
  %fewest = call i32 @llvm.smin.i32(i32 %processors, i32 %most)
  %all = call i32 @llvm.smax.i32(i32 %fewest, i32 1)
  %asked = call i32 @__ipda_limit(ptr @ipda.threads)
  %limit = call i32 @omp_get_thread_limit()
  %in_one = call i32 @llvm.smin.i32(i32 %asked, i32 %limit)
  %one = call i32 @llvm.smax.i32(i32 %in_one, i32 1)
  %low = zext i32 %all to i64
  %high = zext i32 %one to i64
  %shifted = shl i64 %high, 32
  %both = or i64 %low, %shifted
  store atomic i64 %both, ptr @__ipda_teams monotonic, align 8
  ret i64 %both
}

; How many threads run a region's host version, as libomp of LLVM 19 counts them where no clause says it.
define linkonce_odr hidden i32 @__ipda_threads(i32 %teams) noinline nounwind optnone {
start:
  %has_teams = icmp ne i32 %teams, 0
  br i1 %has_teams, label %in_teams, label %alone

in_teams:
  %known = load atomic i64, ptr @__ipda_teams monotonic, align 8
  %is_new = icmp eq i64 %known, 0
  br i1 %is_new, label %count, label %counted

count:
  %now = call i64 @__ipda_count_teams()
  br label %counted

counted:
  %both = phi i64 [ %known, %in_teams ], [ %now, %count ]
  %all = trunc i64 %both to i32
  %upper = lshr i64 %both, 32
  %one = trunc i64 %upper to i32
  %limit = call i32 @omp_get_teams_thread_limit()
  %is_limited = icmp sgt i32 %limit, 0
  %fewer = call i32 @llvm.smin.i32(i32 %one, i32 %limit)
  %in_one = select i1 %is_limited, i32 %fewer, i32 %one
  %asked = call i32 @omp_get_max_teams()
  %number = call i32 @llvm.smax.i32(i32 %asked, i32 1)
  ; Each team has at least one thread, and no product is larger than 64 bits.
  %wide_one = zext i32 %in_one to i64
  %wide_number = zext i32 %number to i64
  %product = mul i64 %wide_one, %wide_number
  %most = call i32 @llvm.smax.i32(i32 %all, i32 %number)
  %wide_most = zext i32 %most to i64
  %is_less = icmp ult i64 %product, %wide_most
  %threads_of_teams = trunc i64 %product to i32
  %result_of_teams = select i1 %is_less, i32 %threads_of_teams, i32 %most
  ret i32 %result_of_teams

alone:
  %depth = call i32 @omp_get_active_level()
  %levels = call i32 @omp_get_max_active_levels()
  %is_full = icmp sge i32 %depth, %levels
  br i1 %is_full, label %by_one, label %ask

ask:
  %usual = call i32 @omp_get_max_threads()
  %bound = call i32 @omp_get_thread_limit()
  %bounded = call i32 @llvm.smin.i32(i32 %usual, i32 %bound)
  ret i32 %bounded

by_one:
  ret i32 1
}

; Whether what a launch maps keeps it on the device: something of it is there already, or a section is empty, so that its pointer may be the device's.
define linkonce_odr hidden i1 @__ipda_is_bound(ptr %region, ptr %arguments, i32 %device) noinline nounwind optnone {
start:
  %pointers_at = getelementptr i8, ptr %arguments, i64 16
  %pointers = load ptr, ptr %pointers_at, align 8
  %sizes_at = getelementptr i8, ptr %arguments, i64 24
  %sizes = load ptr, ptr %sizes_at, align 8
  %entries_at = getelementptr %ipda.region, ptr %region, i32 0, i32 4
  %entries = load ptr, ptr %entries_at, align 8
  %count_at = getelementptr %ipda.region, ptr %region, i32 0, i32 5
  %count = load i32, ptr %count_at, align 8
  br label %next

next:
  %number = phi i32 [ 0, %start ], [ %following, %absent ]
  %is_end = icmp eq i32 %number, %count
  br i1 %is_end, label %free, label %entry

entry:
  %entry_at = getelementptr i32, ptr %entries, i32 %number
  %index = load i32, ptr %entry_at, align 4
  %size_at = getelementptr i64, ptr %sizes, i32 %index
  %size = load i64, ptr %size_at, align 8
  %is_empty = icmp slt i64 %size, 1
  br i1 %is_empty, label %bound, label %ask

ask:
  %pointer_at = getelementptr ptr, ptr %pointers, i32 %index
  %pointer = load ptr, ptr %pointer_at, align 8
  %answer = call i32 @omp_target_is_present(ptr %pointer, i32 %device)
  %is_present = icmp ne i32 %answer, 0
  br i1 %is_present, label %bound, label %absent

absent:
  %following = add i32 %number, 1
  br label %next

free:
  ret i1 false

bound:
  ret i1 true
}

; Whether the runtime runs a launch on the host: it is not to use devices or has none, or a device clause or the default device names the host.
define linkonce_odr hidden i1 @__ipda_is_at_home(i32 %policy, i64 %asked) cold noinline nounwind optnone {
start:
  %without = and i32 %policy, 16
  %is_without = icmp ne i32 %without, 0
  br i1 %is_without, label %home, label %ask

ask:
  %named = trunc i64 %asked to i32
  %is_open = icmp eq i64 %asked, -1
  br i1 %is_open, label %default, label %compare

default:
  %usual = call i32 @omp_get_default_device()
  br label %compare

compare:
  %number = phi i32 [ %named, %ask ], [ %usual, %default ]
  ; The host's number is that of devices.
  %devices = call i32 @__ipda_devices()
  %is_initial = icmp eq i32 %number, %devices
  %has_none = icmp slt i32 %devices, 1
  %is_home = or i1 %is_initial, %has_none
  ret i1 %is_home

home:
  ret i1 true
}

; Before a region's first decision: the library may put in numbers of the machines that it found, and says what it wants.
define linkonce_odr hidden void @__ipda_offer(ptr %region) cold noinline nounwind optnone {
start:
  %has_region = icmp ne ptr @__ipda_rt_region, null
  br i1 %has_region, label %ask, label %ready

ask:
  %answer = call i32 @__ipda_rt_region(ptr %region)
  %has_choose = icmp ne ptr @__ipda_rt_choose, null
  %has_end = icmp ne ptr @__ipda_rt_end, null
  %has_both = and i1 %has_choose, %has_end
  %wants = select i1 %has_both, i32 %answer, i32 0
  %wants_at = getelementptr %ipda.region, ptr %region, i32 0, i32 12
  store atomic i32 %wants, ptr %wants_at monotonic, align 4
  br label %ready

ready:
  %ready_at = getelementptr %ipda.region, ptr %region, i32 0, i32 11
  store atomic i32 1, ptr %ready_at release, align 8
  ret void
}

; Where a launch runs: 1 on the host, else 0; and added: 2 where the library wants its time, and a token is given; 256 times the number of another
; device than the default one, and one more.
; At ";room", ";before" and ";after", what calm.rs says for the target is put in.
define linkonce_odr hidden i32 @__ipda_decide(ptr %region, i32 %policy, i64 %asked, ptr %arguments, ptr %values, ptr %token) noinline nounwind optnone {
start:
  %scratch = alloca [64 x double], align 16
;room
  %ready_at = getelementptr %ipda.region, ptr %region, i32 0, i32 11
  %ready = load atomic i32, ptr %ready_at acquire, align 8
  %is_new = icmp eq i32 %ready, 0
  br i1 %is_new, label %offer, label %predict

offer:
  call void @__ipda_offer(ptr %region)
  br label %predict

predict:
  %wants_at = getelementptr %ipda.region, ptr %region, i32 0, i32 12
  %wants = load atomic i32, ptr %wants_at monotonic, align 4
  %is_timed = trunc i32 %wants to i1
  %kind = and i32 %policy, 3
  %is_modelled = icmp eq i32 %kind, 3
  %is_told = icmp ugt i32 %policy, 3
  ; Where nobody looks at it, nothing is predicted.
  %is_looked_at = or i1 %is_modelled, %is_told
  %is_needed = or i1 %is_looked_at, %is_timed
  br i1 %is_needed, label %find, label %choose

find:
  %function_at = getelementptr %ipda.region, ptr %region, i32 0, i32 14
  %function = load ptr, ptr %function_at, align 8
  %has_none = icmp eq ptr %function, null
  br i1 %has_none, label %choose, label %compute

compute:
  %prepared_at = getelementptr %ipda.region, ptr %region, i32 0, i32 9
  %prepared = load ptr, ptr %prepared_at, align 8
  %teams_at = getelementptr %ipda.region, ptr %region, i32 0, i32 17
  %teams = load i32, ptr %teams_at, align 4
  %most = call i32 @__ipda_threads(i32 %teams)
  %threads = sitofp i32 %most to double
;before
  %times = call { double, double } %function(ptr %arguments, ptr %prepared, ptr %values, ptr %scratch, double %threads)
;after
  %time_host = extractvalue { double, double } %times, 0
  %time_device = extractvalue { double, double } %times, 1
  br label %choose

choose:
  %host = phi double [ 0x7FF8000000000000, %predict ], [ 0x7FF8000000000000, %find ], [ %time_host, %compute ]
  %device = phi double [ 0x7FF8000000000000, %predict ], [ 0x7FF8000000000000, %find ], [ %time_device, %compute ]
  ; A device clause decides.
  %is_open = icmp eq i64 %asked, -1
  %is_host = icmp eq i32 %kind, 2
  %is_faster = fcmp olt double %host, %device
  %is_predicted = and i1 %is_modelled, %is_faster
  %is_wanted = or i1 %is_host, %is_predicted
  ; Where the library may turn the choice, it must know whether the host is allowed.
  %is_learning = and i1 %is_timed, %is_modelled
  %is_asking = or i1 %is_wanted, %is_learning
  %is_candidate = and i1 %is_open, %is_asking
  br i1 %is_candidate, label %data, label %known

data:
  %starts_at = getelementptr %ipda.region, ptr %region, i32 0, i32 17
  %starts = load i32, ptr %starts_at, align 4
  %has_teams = icmp ne i32 %starts, 0
  br i1 %has_teams, label %level, label %ask

level:
  ; LLVM 19's libomp loses what teams compute within a parallel region, as teams.rs tells.
  %depth = call i32 @omp_get_level()
  %is_within = icmp sgt i32 %depth, 0
  br i1 %is_within, label %known, label %ask

ask:
  ; Where that is the host, the runtime runs the host's version, whatever comes of the question: to ask for the host's number costs more than it.
  %number = call i32 @omp_get_default_device()
  %is_bound = call i1 @__ipda_is_bound(ptr %region, ptr %arguments, i32 %number)
  %is_free = xor i1 %is_bound, true
  br label %known

known:
  %is_unbound = phi i1 [ false, %choose ], [ false, %level ], [ %is_free, %ask ]
  %is_kept = phi i1 [ false, %choose ], [ true, %level ], [ %is_bound, %ask ]
  %why = phi ptr [ @ipda.nothing, %choose ], [ @ipda.within, %level ], [ @ipda.there, %ask ]
  %is_watched = or i1 %is_told, %is_timed
  br i1 %is_watched, label %place, label %placed

place:
  %at_home = call i1 @__ipda_is_at_home(i32 %policy, i64 %asked)
  br label %placed

placed:
  %is_at_home = phi i1 [ false, %known ], [ %at_home, %place ]
  %has_choice = xor i1 %is_at_home, true
  %is_allowed = and i1 %is_unbound, %has_choice
  %is_chosen = and i1 %is_allowed, %is_wanted
  %is_bound_here = and i1 %is_kept, %has_choice
  %is_held = and i1 %is_bound_here, %is_wanted
  %holds = select i1 %is_held, ptr %why, ptr @ipda.nothing
  br i1 %is_timed, label %turn, label %decided

turn:
  ; Nothing that it maps is anywhere but in the host's memory: it may be turned to the host (2), and to another device (4).
  %may_turn = and i1 %is_allowed, %is_modelled
  ; What the runtime would give back is run here, so that its time is that of its work.
  %is_on_host = or i1 %is_chosen, %is_at_home
  %chosen = zext i1 %is_on_host to i32
  %choice = select i1 %may_turn, i32 6, i32 0
  %said = or i32 %chosen, %choice
  %count_at = getelementptr %ipda.region, ptr %region, i32 0, i32 16
  %count = load i32, ptr %count_at, align 8
  %answer = call i64 @__ipda_rt_choose(ptr %region, i32 %said, double %host, double %device, ptr %values, i32 %count)
  store i64 %answer, ptr %token, align 8
  %word = lshr i64 %answer, 62
  %is_turned = trunc i64 %word to i1
  %is_learned = select i1 %may_turn, i1 %is_turned, i1 %is_on_host
  %answered = lshr i64 %answer, 48
  %short = trunc i64 %answered to i32
  %other = and i32 %short, 16383
  %is_named = icmp ne i32 %other, 0
  %stays = xor i1 %is_learned, true
  %may_go = and i1 %may_turn, %stays
  %goes = and i1 %may_go, %is_named
  br i1 %goes, label %elsewhere, label %decided

elsewhere:
  %other_number = sub i32 %other, 1
  %is_bound_there = call i1 @__ipda_is_bound(ptr %region, ptr %arguments, i32 %other_number)
  %shifted = shl i32 %other, 8
  %elsewhere_code = select i1 %is_bound_there, i32 0, i32 %shifted
  br label %decided

decided:
  %runs_here = phi i1 [ %is_chosen, %placed ], [ %is_learned, %turn ], [ false, %elsewhere ]
  %device_code = phi i32 [ 0, %placed ], [ 0, %turn ], [ %elsewhere_code, %elsewhere ]
  br i1 %is_told, label %tell, label %end

tell:
  call void @__ipda_tell(ptr %region, i32 %policy, i1 %runs_here, i1 %is_at_home, ptr %holds, i1 %is_timed, double %host, double %device, ptr %values)
  br label %end

end:
  %here = zext i1 %runs_here to i32
  %timed = select i1 %is_timed, i32 2, i32 0
  %where_and_times = or i32 %here, %timed
  %result = or i32 %where_and_times, %device_code
  ret i32 %result
}

; After work whose time the library wants.
define linkonce_odr hidden void @__ipda_end(ptr %region, i64 %token) cold noinline nounwind optnone {
start:
  call void @__ipda_rt_end(ptr %region, i64 %token)
  ret void
}

; Writes the values that a prediction read, as " (n = 1, m = 2", into 256 bytes.
define linkonce_odr hidden void @__ipda_write_values(ptr %region, ptr %values, ptr %text) cold noinline nounwind optnone {
start:
  store i8 0, ptr %text, align 1
  %names_at = getelementptr %ipda.region, ptr %region, i32 0, i32 15
  %names = load ptr, ptr %names_at, align 8
  %count_at = getelementptr %ipda.region, ptr %region, i32 0, i32 16
  %count = load i32, ptr %count_at, align 8
  br label %next

next:
  %number = phi i32 [ 0, %start ], [ %following, %fits ]
  %name = phi ptr [ %names, %start ], [ %name_after, %fits ]
  %used = phi i64 [ 0, %start ], [ %used_after, %fits ]
  %is_end = icmp eq i32 %number, %count
  br i1 %is_end, label %end, label %write

write:
  %is_first = icmp eq i32 %number, 0
  %before = select i1 %is_first, ptr @ipda.open, ptr @ipda.comma
  %value_at = getelementptr double, ptr %values, i32 %number
  %value = load double, ptr %value_at, align 8
  %to = getelementptr i8, ptr %text, i64 %used
  %left = sub i64 256, %used
  %written = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %to, i64 %left, ptr @ipda.value, ptr %before, ptr %name, double %value)
  %length = zext i32 %written to i64
  %used_after = add i64 %used, %length
  ; What does not fit is cut, and less than nothing written is a very large number.
  %is_cut = icmp uge i64 %used_after, 256
  br i1 %is_cut, label %end, label %fits

fits:
  %name_length = call i64 @strlen(ptr %name)
  %name_size = add i64 %name_length, 1
  %name_after = getelementptr i8, ptr %name, i64 %name_size
  %following = add i32 %number, 1
  br label %next

end:
  ret void
}

define linkonce_odr hidden void @__ipda_tell(ptr %region, i32 %policy, i1 %runs_here, i1 %is_at_home, ptr %why, i1 %is_timed, double %host, double %device, ptr %values) cold noinline nounwind optnone {
start:
  %text = alloca [258 x i8], align 1
  %name = load ptr, ptr %region, align 8
  %sums = and i32 %policy, 8
  %is_sum = icmp ne i32 %sums, 0
  %is_on_host = or i1 %runs_here, %is_at_home
  br i1 %is_sum, label %sum, label %line

line:
  call void @__ipda_write_values(ptr %region, ptr %values, ptr %text)
  %length = call i64 @strlen(ptr %text)
  %has_values = icmp ne i64 %length, 0
  br i1 %has_values, label %close, label %written

close:
  %end_at = getelementptr i8, ptr %text, i64 %length
  store i16 41, ptr %end_at, align 1
  br label %written

written:
  %where_else = select i1 %runs_here, ptr @ipda.host, ptr @ipda.device
  %where = select i1 %is_at_home, ptr @ipda.home, ptr %where_else
  %granted_at = getelementptr %ipda.region, ptr %region, i32 0, i32 18
  %words = load ptr, ptr %granted_at, align 8
  %has_words = icmp ne ptr %words, null
  %granted = select i1 %has_words, ptr %words, ptr @ipda.nothing
  %is_known = fcmp ord double %host, %device
  br i1 %is_known, label %predicted, label %plain

predicted:
  call i32 (i32, ptr, ...) @dprintf(i32 2, ptr @ipda.told, ptr %name, ptr %text, ptr %where, double %host, double %device, ptr %granted, ptr %why)
  ret void

plain:
  call i32 (i32, ptr, ...) @dprintf(i32 2, ptr @ipda.told.plain, ptr %name, ptr %text, ptr %where, ptr %why)
  ret void

sum:
  ; The library tells sums with the times that it measured.
  br i1 %is_timed, label %end, label %count

count:
  %on_host = getelementptr %ipda.region, ptr %region, i32 0, i32 2
  %on_device = getelementptr %ipda.region, ptr %region, i32 0, i32 3
  %counter = select i1 %is_on_host, ptr %on_host, ptr %on_device
  %before = atomicrmw add ptr %counter, i64 1 monotonic, align 8
  %listed_at = getelementptr %ipda.region, ptr %region, i32 0, i32 6
  %listed = atomicrmw xchg ptr %listed_at, i32 1 monotonic, align 4
  %is_new = icmp eq i32 %listed, 0
  br i1 %is_new, label %list, label %end

list:
  %next_at = getelementptr %ipda.region, ptr %region, i32 0, i32 1
  %first = load atomic ptr, ptr @__ipda_launched monotonic, align 8
  br label %try

try:
  %head = phi ptr [ %first, %list ], [ %seen, %try ]
  store ptr %head, ptr %next_at, align 8
  %pair = cmpxchg ptr @__ipda_launched, ptr %head, ptr %region release monotonic, align 8
  %seen = extractvalue { ptr, i1 } %pair, 0
  %done = extractvalue { ptr, i1 } %pair, 1
  br i1 %done, label %added, label %try

added:
  %is_first = icmp eq ptr %head, null
  br i1 %is_first, label %register, label %end

register:
  %ignored = call i32 @atexit(ptr @__ipda_tell_sums)
  br label %end

end:
  ret void
}

define linkonce_odr hidden void @__ipda_tell_sums() cold noinline nounwind optnone {
start:
  %first = load atomic ptr, ptr @__ipda_launched acquire, align 8
  br label %next

next:
  %region = phi ptr [ %first, %start ], [ %following, %each ]
  %is_end = icmp eq ptr %region, null
  br i1 %is_end, label %end, label %each

each:
  %name = load ptr, ptr %region, align 8
  %on_host_at = getelementptr %ipda.region, ptr %region, i32 0, i32 2
  %on_host = load atomic i64, ptr %on_host_at monotonic, align 8
  %on_device_at = getelementptr %ipda.region, ptr %region, i32 0, i32 3
  %on_device = load atomic i64, ptr %on_device_at monotonic, align 8
  call i32 (i32, ptr, ...) @dprintf(i32 2, ptr @ipda.sum, ptr %name, i64 %on_host, i64 %on_device)
  %next_at = getelementptr %ipda.region, ptr %region, i32 0, i32 1
  %following = load ptr, ptr %next_at, align 8
  br label %next

end:
  ret void
}
