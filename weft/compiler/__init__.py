"""The compiler: from OpenCL C to machine code that runs work-groups.

    build_program        clBuildProgram: a program through the front end, to the canonical IR of each kernel
    describe_kernels     the description of a program's kernels
    argument_layout      offsets of the arguments of a kernel in its argument block
    compilation_unit     the state of one kernel's compilation to a work-group function
    passes               THE list of passes, in the order in which they run, and when each of them runs
    pipeline             runs the list over a compilation unit
    compile_work_group   the first launch of a form: kernel to object code, by the pipeline and LLVM

`weft/program.py` calls it on a cache miss.
"""
