"""The grammar of SPIR-V as far as modules for OpenCL use it; written by `tools/spirv_grammar.py`.

An instruction is a line `number name operands`. An operand is a letter (T type of the result, R result, I id,
L literal word, S string, N number of the type in question, X number of an extended instruction, O opcode) or
the name of an enumeration, and may end in `?` (optional) or `*` (any number). `! capabilities` in place of
operands says which capabilities it would take, none of which Weft supports. Lines of enumerations are alike.
"""

VERSION = (1, 6)

INSTRUCTIONS = """
0 Nop; 1 Undef T R; 2 SourceContinued S; 3 Source SourceLanguage L I? S?; 4 SourceExtension S; 5 Name I S;
6 MemberName I L S; 7 String R S; 8 Line I L L; 10 Extension S; 11 ExtInstImport R S;
12 ExtInst T R I X I*; 14 MemoryModel AddressingModel MemoryModel; 15 EntryPoint ExecutionModel I S I*;
16 ExecutionMode I ExecutionMode; 17 Capability Capability; 19 TypeVoid R; 20 TypeBool R;
21 TypeInt R L L; 22 TypeFloat R L; 23 TypeVector R I L; 24 TypeMatrix ! Matrix;
25 TypeImage R I Dim L L L L ImageFormat AccessQualifier?; 26 TypeSampler R; 27 TypeSampledImage R I;
28 TypeArray R I I; 29 TypeRuntimeArray ! Shader; 30 TypeStruct R I*; 31 TypeOpaque R S;
32 TypePointer R StorageClass I; 33 TypeFunction R I I*; 34 TypeEvent R;
35 TypeDeviceEvent ! DeviceEnqueue; 36 TypeReserveId R; 37 TypeQueue ! DeviceEnqueue;
38 TypePipe R AccessQualifier; 39 TypeForwardPointer I StorageClass; 41 ConstantTrue T R;
42 ConstantFalse T R; 43 Constant T R N; 44 ConstantComposite T R I*;
45 ConstantSampler T R SamplerAddressingMode L SamplerFilterMode; 46 ConstantNull T R;
48 SpecConstantTrue T R; 49 SpecConstantFalse T R; 50 SpecConstant T R N; 51 SpecConstantComposite T R I*;
52 SpecConstantOp T R O; 54 Function T R FunctionControl I; 55 FunctionParameter T R; 56 FunctionEnd;
57 FunctionCall T R I I*; 59 Variable T R StorageClass I?; 60 ImageTexelPointer T R I I I;
61 Load T R I MemoryAccess?; 62 Store I I MemoryAccess?; 63 CopyMemory I I MemoryAccess? MemoryAccess?;
64 CopyMemorySized I I I MemoryAccess? MemoryAccess?; 65 AccessChain T R I I*;
66 InBoundsAccessChain T R I I*; 67 PtrAccessChain T R I I I*; 68 ArrayLength ! Shader;
69 GenericPtrMemSemantics T R I; 70 InBoundsPtrAccessChain T R I I I*; 71 Decorate I Decoration;
72 MemberDecorate I L Decoration; 73 DecorationGroup R; 74 GroupDecorate I I*;
75 GroupMemberDecorate I IL*; 77 VectorExtractDynamic T R I I; 78 VectorInsertDynamic T R I I I;
79 VectorShuffle T R I I L*; 80 CompositeConstruct T R I*; 81 CompositeExtract T R I L*;
82 CompositeInsert T R I I L*; 83 CopyObject T R I; 84 Transpose ! Matrix; 86 SampledImage T R I I;
87 ImageSampleImplicitLod ! Shader; 88 ImageSampleExplicitLod T R I I ImageOperands;
89 ImageSampleDrefImplicitLod ! Shader; 90 ImageSampleDrefExplicitLod ! Shader;
91 ImageSampleProjImplicitLod ! Shader; 92 ImageSampleProjExplicitLod ! Shader;
93 ImageSampleProjDrefImplicitLod ! Shader; 94 ImageSampleProjDrefExplicitLod ! Shader;
95 ImageFetch T R I I ImageOperands?; 96 ImageGather ! Shader; 97 ImageDrefGather ! Shader;
98 ImageRead T R I I ImageOperands?; 99 ImageWrite I I I ImageOperands?; 100 Image T R I;
101 ImageQueryFormat T R I; 102 ImageQueryOrder T R I; 103 ImageQuerySizeLod T R I I;
104 ImageQuerySize T R I; 105 ImageQueryLod ! ImageQuery; 106 ImageQueryLevels T R I;
107 ImageQuerySamples T R I; 109 ConvertFToU T R I; 110 ConvertFToS T R I; 111 ConvertSToF T R I;
112 ConvertUToF T R I; 113 UConvert T R I; 114 SConvert T R I; 115 FConvert T R I;
116 QuantizeToF16 T R I; 117 ConvertPtrToU T R I; 118 SatConvertSToU T R I; 119 SatConvertUToS T R I;
120 ConvertUToPtr T R I; 121 PtrCastToGeneric T R I; 122 GenericCastToPtr T R I;
123 GenericCastToPtrExplicit T R I StorageClass; 124 Bitcast T R I; 126 SNegate T R I; 127 FNegate T R I;
128 IAdd T R I I; 129 FAdd T R I I; 130 ISub T R I I; 131 FSub T R I I; 132 IMul T R I I;
133 FMul T R I I; 134 UDiv T R I I; 135 SDiv T R I I; 136 FDiv T R I I; 137 UMod T R I I;
138 SRem T R I I; 139 SMod T R I I; 140 FRem T R I I; 141 FMod T R I I; 142 VectorTimesScalar T R I I;
143 MatrixTimesScalar ! Matrix; 144 VectorTimesMatrix ! Matrix; 145 MatrixTimesVector ! Matrix;
146 MatrixTimesMatrix ! Matrix; 147 OuterProduct ! Matrix; 148 Dot T R I I; 149 IAddCarry T R I I;
150 ISubBorrow T R I I; 151 UMulExtended T R I I; 152 SMulExtended T R I I; 154 Any T R I; 155 All T R I;
156 IsNan T R I; 157 IsInf T R I; 158 IsFinite T R I; 159 IsNormal T R I; 160 SignBitSet T R I;
161 LessOrGreater T R I I; 162 Ordered T R I I; 163 Unordered T R I I; 164 LogicalEqual T R I I;
165 LogicalNotEqual T R I I; 166 LogicalOr T R I I; 167 LogicalAnd T R I I; 168 LogicalNot T R I;
169 Select T R I I I; 170 IEqual T R I I; 171 INotEqual T R I I; 172 UGreaterThan T R I I;
173 SGreaterThan T R I I; 174 UGreaterThanEqual T R I I; 175 SGreaterThanEqual T R I I;
176 ULessThan T R I I; 177 SLessThan T R I I; 178 ULessThanEqual T R I I; 179 SLessThanEqual T R I I;
180 FOrdEqual T R I I; 181 FUnordEqual T R I I; 182 FOrdNotEqual T R I I; 183 FUnordNotEqual T R I I;
184 FOrdLessThan T R I I; 185 FUnordLessThan T R I I; 186 FOrdGreaterThan T R I I;
187 FUnordGreaterThan T R I I; 188 FOrdLessThanEqual T R I I; 189 FUnordLessThanEqual T R I I;
190 FOrdGreaterThanEqual T R I I; 191 FUnordGreaterThanEqual T R I I; 194 ShiftRightLogical T R I I;
195 ShiftRightArithmetic T R I I; 196 ShiftLeftLogical T R I I; 197 BitwiseOr T R I I;
198 BitwiseXor T R I I; 199 BitwiseAnd T R I I; 200 Not T R I; 201 BitFieldInsert T R I I I I;
202 BitFieldSExtract T R I I I; 203 BitFieldUExtract T R I I I; 204 BitReverse T R I; 205 BitCount T R I;
207 DPdx ! Shader; 208 DPdy ! Shader; 209 Fwidth ! Shader; 210 DPdxFine ! DerivativeControl;
211 DPdyFine ! DerivativeControl; 212 FwidthFine ! DerivativeControl; 213 DPdxCoarse ! DerivativeControl;
214 DPdyCoarse ! DerivativeControl; 215 FwidthCoarse ! DerivativeControl; 218 EmitVertex ! Geometry;
219 EndPrimitive ! Geometry; 220 EmitStreamVertex ! GeometryStreams;
221 EndStreamPrimitive ! GeometryStreams; 224 ControlBarrier I I I; 225 MemoryBarrier I I;
227 AtomicLoad T R I I I; 228 AtomicStore I I I I; 229 AtomicExchange T R I I I I;
230 AtomicCompareExchange T R I I I I I I; 231 AtomicCompareExchangeWeak T R I I I I I I;
232 AtomicIIncrement T R I I I; 233 AtomicIDecrement T R I I I; 234 AtomicIAdd T R I I I I;
235 AtomicISub T R I I I I; 236 AtomicSMin T R I I I I; 237 AtomicUMin T R I I I I;
238 AtomicSMax T R I I I I; 239 AtomicUMax T R I I I I; 240 AtomicAnd T R I I I I;
241 AtomicOr T R I I I I; 242 AtomicXor T R I I I I; 245 Phi T R II*; 246 LoopMerge I I LoopControl;
247 SelectionMerge I SelectionControl; 248 Label R; 249 Branch I; 250 BranchConditional I I I L*;
251 Switch I I NI*; 252 Kill ! Shader; 253 Return; 254 ReturnValue I; 255 Unreachable;
256 LifetimeStart I L; 257 LifetimeStop I L; 259 GroupAsyncCopy T R I I I I I I;
260 GroupWaitEvents I I I; 261 GroupAll T R I I; 262 GroupAny T R I I; 263 GroupBroadcast T R I I I;
264 GroupIAdd T R I GroupOperation I; 265 GroupFAdd T R I GroupOperation I;
266 GroupFMin T R I GroupOperation I; 267 GroupUMin T R I GroupOperation I;
268 GroupSMin T R I GroupOperation I; 269 GroupFMax T R I GroupOperation I;
270 GroupUMax T R I GroupOperation I; 271 GroupSMax T R I GroupOperation I; 274 ReadPipe T R I I I I;
275 WritePipe T R I I I I; 276 ReservedReadPipe T R I I I I I I; 277 ReservedWritePipe T R I I I I I I;
278 ReserveReadPipePackets T R I I I I; 279 ReserveWritePipePackets T R I I I I;
280 CommitReadPipe I I I I; 281 CommitWritePipe I I I I; 282 IsValidReserveId T R I;
283 GetNumPipePackets T R I I I; 284 GetMaxPipePackets T R I I I;
285 GroupReserveReadPipePackets T R I I I I I; 286 GroupReserveWritePipePackets T R I I I I I;
287 GroupCommitReadPipe I I I I I; 288 GroupCommitWritePipe I I I I I; 291 EnqueueMarker ! DeviceEnqueue;
292 EnqueueKernel ! DeviceEnqueue; 293 GetKernelNDrangeSubGroupCount ! DeviceEnqueue;
294 GetKernelNDrangeMaxSubGroupSize ! DeviceEnqueue; 295 GetKernelWorkGroupSize ! DeviceEnqueue;
296 GetKernelPreferredWorkGroupSizeMultiple ! DeviceEnqueue; 297 RetainEvent ! DeviceEnqueue;
298 ReleaseEvent ! DeviceEnqueue; 299 CreateUserEvent ! DeviceEnqueue; 300 IsValidEvent ! DeviceEnqueue;
301 SetUserEventStatus ! DeviceEnqueue; 302 CaptureEventProfilingInfo ! DeviceEnqueue;
303 GetDefaultQueue ! DeviceEnqueue; 304 BuildNDRange ! DeviceEnqueue;
305 ImageSparseSampleImplicitLod ! SparseResidency; 306 ImageSparseSampleExplicitLod ! SparseResidency;
307 ImageSparseSampleDrefImplicitLod ! SparseResidency;
308 ImageSparseSampleDrefExplicitLod ! SparseResidency;
309 ImageSparseSampleProjImplicitLod ! SparseResidency;
310 ImageSparseSampleProjExplicitLod ! SparseResidency;
311 ImageSparseSampleProjDrefImplicitLod ! SparseResidency;
312 ImageSparseSampleProjDrefExplicitLod ! SparseResidency; 313 ImageSparseFetch ! SparseResidency;
314 ImageSparseGather ! SparseResidency; 315 ImageSparseDrefGather ! SparseResidency;
316 ImageSparseTexelsResident ! SparseResidency; 317 NoLine; 318 AtomicFlagTestAndSet T R I I I;
319 AtomicFlagClear I I I; 320 ImageSparseRead ! SparseResidency; 321 SizeOf T R I; 322 TypePipeStorage R;
323 ConstantPipeStorage T R L L L; 324 CreatePipeFromPipeStorage T R I;
325 GetKernelLocalSizeForSubgroupCount T R I I I I I; 326 GetKernelMaxNumSubgroups T R I I I I;
327 TypeNamedBarrier R; 328 NamedBarrierInitialize T R I; 329 MemoryNamedBarrier I I I;
330 ModuleProcessed S; 331 ExecutionModeId I ExecutionMode; 332 DecorateId I Decoration;
333 GroupNonUniformElect T R I; 334 GroupNonUniformAll T R I I; 335 GroupNonUniformAny T R I I;
336 GroupNonUniformAllEqual T R I I; 337 GroupNonUniformBroadcast T R I I I;
338 GroupNonUniformBroadcastFirst T R I I; 339 GroupNonUniformBallot T R I I;
340 GroupNonUniformInverseBallot T R I I; 341 GroupNonUniformBallotBitExtract T R I I I;
342 GroupNonUniformBallotBitCount T R I GroupOperation I; 343 GroupNonUniformBallotFindLSB T R I I;
344 GroupNonUniformBallotFindMSB T R I I; 345 GroupNonUniformShuffle T R I I I;
346 GroupNonUniformShuffleXor T R I I I; 347 GroupNonUniformShuffleUp T R I I I;
348 GroupNonUniformShuffleDown T R I I I; 349 GroupNonUniformIAdd T R I GroupOperation I I?;
350 GroupNonUniformFAdd T R I GroupOperation I I?; 351 GroupNonUniformIMul T R I GroupOperation I I?;
352 GroupNonUniformFMul T R I GroupOperation I I?; 353 GroupNonUniformSMin T R I GroupOperation I I?;
354 GroupNonUniformUMin T R I GroupOperation I I?; 355 GroupNonUniformFMin T R I GroupOperation I I?;
356 GroupNonUniformSMax T R I GroupOperation I I?; 357 GroupNonUniformUMax T R I GroupOperation I I?;
358 GroupNonUniformFMax T R I GroupOperation I I?;
359 GroupNonUniformBitwiseAnd T R I GroupOperation I I?;
360 GroupNonUniformBitwiseOr T R I GroupOperation I I?;
361 GroupNonUniformBitwiseXor T R I GroupOperation I I?;
362 GroupNonUniformLogicalAnd T R I GroupOperation I I?;
363 GroupNonUniformLogicalOr T R I GroupOperation I I?;
364 GroupNonUniformLogicalXor T R I GroupOperation I I?;
365 GroupNonUniformQuadBroadcast ! GroupNonUniformQuad; 366 GroupNonUniformQuadSwap ! GroupNonUniformQuad;
400 CopyLogical T R I; 401 PtrEqual T R I I; 402 PtrNotEqual T R I I; 403 PtrDiff T R I I;
4416 TerminateInvocation ! Shader; 4421 SubgroupBallotKHR ! SubgroupBallotKHR;
4422 SubgroupFirstInvocationKHR ! SubgroupBallotKHR; 4428 SubgroupAllKHR ! SubgroupVoteKHR;
4429 SubgroupAnyKHR ! SubgroupVoteKHR; 4430 SubgroupAllEqualKHR ! SubgroupVoteKHR;
4431 GroupNonUniformRotateKHR T R I I I I?; 4432 SubgroupReadInvocationKHR ! SubgroupBallotKHR;
4445 TraceRayKHR ! RayTracingKHR; 4446 ExecuteCallableKHR ! RayTracingKHR;
4447 ConvertUToAccelerationStructureKHR ! RayTracingKHR RayQueryKHR;
4448 IgnoreIntersectionKHR ! RayTracingKHR; 4449 TerminateRayKHR ! RayTracingKHR;
4450 SDot T R I I PackedVectorFormat?; 4451 UDot T R I I PackedVectorFormat?;
4452 SUDot T R I I PackedVectorFormat?; 4453 SDotAccSat T R I I I PackedVectorFormat?;
4454 UDotAccSat T R I I I PackedVectorFormat?; 4455 SUDotAccSat T R I I I PackedVectorFormat?;
4472 TypeRayQueryKHR ! RayQueryKHR; 4473 RayQueryInitializeKHR ! RayQueryKHR;
4474 RayQueryTerminateKHR ! RayQueryKHR; 4475 RayQueryGenerateIntersectionKHR ! RayQueryKHR;
4476 RayQueryConfirmIntersectionKHR ! RayQueryKHR; 4477 RayQueryProceedKHR ! RayQueryKHR;
4479 RayQueryGetIntersectionTypeKHR ! RayQueryKHR; 5000 GroupIAddNonUniformAMD T R I GroupOperation I;
5001 GroupFAddNonUniformAMD T R I GroupOperation I; 5002 GroupFMinNonUniformAMD T R I GroupOperation I;
5003 GroupUMinNonUniformAMD T R I GroupOperation I; 5004 GroupSMinNonUniformAMD T R I GroupOperation I;
5005 GroupFMaxNonUniformAMD T R I GroupOperation I; 5006 GroupUMaxNonUniformAMD T R I GroupOperation I;
5007 GroupSMaxNonUniformAMD T R I GroupOperation I; 5011 FragmentMaskFetchAMD ! FragmentMaskAMD;
5012 FragmentFetchAMD ! FragmentMaskAMD; 5056 ReadClockKHR T R I;
5249 HitObjectRecordHitMotionNV ! ShaderInvocationReorderNV RayTracingMotionBlurNV;
5250 HitObjectRecordHitWithIndexMotionNV ! ShaderInvocationReorderNV RayTracingMotionBlurNV;
5251 HitObjectRecordMissMotionNV ! ShaderInvocationReorderNV RayTracingMotionBlurNV;
5252 HitObjectGetWorldToObjectNV ! ShaderInvocationReorderNV;
5253 HitObjectGetObjectToWorldNV ! ShaderInvocationReorderNV;
5254 HitObjectGetObjectRayDirectionNV ! ShaderInvocationReorderNV;
5255 HitObjectGetObjectRayOriginNV ! ShaderInvocationReorderNV;
5256 HitObjectTraceRayMotionNV ! ShaderInvocationReorderNV RayTracingMotionBlurNV;
5257 HitObjectGetShaderRecordBufferHandleNV ! ShaderInvocationReorderNV;
5258 HitObjectGetShaderBindingTableRecordIndexNV ! ShaderInvocationReorderNV;
5259 HitObjectRecordEmptyNV ! ShaderInvocationReorderNV;
5260 HitObjectTraceRayNV ! ShaderInvocationReorderNV;
5261 HitObjectRecordHitNV ! ShaderInvocationReorderNV;
5262 HitObjectRecordHitWithIndexNV ! ShaderInvocationReorderNV;
5263 HitObjectRecordMissNV ! ShaderInvocationReorderNV;
5264 HitObjectExecuteShaderNV ! ShaderInvocationReorderNV;
5265 HitObjectGetCurrentTimeNV ! ShaderInvocationReorderNV;
5266 HitObjectGetAttributesNV ! ShaderInvocationReorderNV;
5267 HitObjectGetHitKindNV ! ShaderInvocationReorderNV;
5268 HitObjectGetPrimitiveIndexNV ! ShaderInvocationReorderNV;
5269 HitObjectGetGeometryIndexNV ! ShaderInvocationReorderNV;
5270 HitObjectGetInstanceIdNV ! ShaderInvocationReorderNV;
5271 HitObjectGetInstanceCustomIndexNV ! ShaderInvocationReorderNV;
5272 HitObjectGetWorldRayDirectionNV ! ShaderInvocationReorderNV;
5273 HitObjectGetWorldRayOriginNV ! ShaderInvocationReorderNV;
5274 HitObjectGetRayTMaxNV ! ShaderInvocationReorderNV;
5275 HitObjectGetRayTMinNV ! ShaderInvocationReorderNV;
5276 HitObjectIsEmptyNV ! ShaderInvocationReorderNV; 5277 HitObjectIsHitNV ! ShaderInvocationReorderNV;
5278 HitObjectIsMissNV ! ShaderInvocationReorderNV;
5279 ReorderThreadWithHitObjectNV ! ShaderInvocationReorderNV;
5280 ReorderThreadWithHintNV ! ShaderInvocationReorderNV;
5281 TypeHitObjectNV ! ShaderInvocationReorderNV; 5283 ImageSampleFootprintNV ! ImageFootprintNV;
5294 EmitMeshTasksEXT ! MeshShadingEXT; 5295 SetMeshOutputsEXT ! MeshShadingEXT;
5296 GroupNonUniformPartitionNV ! GroupNonUniformPartitionedNV;
5299 WritePackedPrimitiveIndices4x8NV ! MeshShadingNV;
5334 ReportIntersectionNV ! RayTracingNV RayTracingKHR; 5335 IgnoreIntersectionNV ! RayTracingNV;
5336 TerminateRayNV ! RayTracingNV; 5337 TraceNV ! RayTracingNV;
5338 TraceMotionNV ! RayTracingMotionBlurNV; 5339 TraceRayMotionNV ! RayTracingMotionBlurNV;
5341 TypeAccelerationStructureNV ! RayTracingNV RayTracingKHR RayQueryKHR;
5344 ExecuteCallableNV ! RayTracingNV; 5358 TypeCooperativeMatrixNV ! CooperativeMatrixNV;
5359 CooperativeMatrixLoadNV ! CooperativeMatrixNV; 5360 CooperativeMatrixStoreNV ! CooperativeMatrixNV;
5361 CooperativeMatrixMulAddNV ! CooperativeMatrixNV;
5362 CooperativeMatrixLengthNV ! CooperativeMatrixNV; 5364 BeginInvocationInterlockEXT !
FragmentShaderSampleInterlockEXT FragmentShaderPixelInterlockEXT FragmentShaderShadingRateInterlockEXT;
5365 EndInvocationInterlockEXT ! FragmentShaderSampleInterlockEXT FragmentShaderPixelInterlockEXT
FragmentShaderShadingRateInterlockEXT; 5380 DemoteToHelperInvocation ! DemoteToHelperInvocation;
5381 IsHelperInvocationEXT ! DemoteToHelperInvocationEXT; 5391 ConvertUToImageNV ! BindlessTextureNV;
5392 ConvertUToSamplerNV ! BindlessTextureNV; 5393 ConvertImageToUNV ! BindlessTextureNV;
5394 ConvertSamplerToUNV ! BindlessTextureNV; 5395 ConvertUToSampledImageNV ! BindlessTextureNV;
5396 ConvertSampledImageToUNV ! BindlessTextureNV; 5397 SamplerImageAddressingModeNV ! BindlessTextureNV;
5571 SubgroupShuffleINTEL T R I I; 5572 SubgroupShuffleDownINTEL T R I I I;
5573 SubgroupShuffleUpINTEL T R I I I; 5574 SubgroupShuffleXorINTEL T R I I;
5575 SubgroupBlockReadINTEL ! SubgroupBufferBlockIOINTEL;
5576 SubgroupBlockWriteINTEL ! SubgroupBufferBlockIOINTEL;
5577 SubgroupImageBlockReadINTEL ! SubgroupImageBlockIOINTEL;
5578 SubgroupImageBlockWriteINTEL ! SubgroupImageBlockIOINTEL;
5580 SubgroupImageMediaBlockReadINTEL ! SubgroupImageMediaBlockIOINTEL;
5581 SubgroupImageMediaBlockWriteINTEL ! SubgroupImageMediaBlockIOINTEL;
5585 UCountLeadingZerosINTEL ! IntegerFunctions2INTEL;
5586 UCountTrailingZerosINTEL ! IntegerFunctions2INTEL; 5587 AbsISubINTEL ! IntegerFunctions2INTEL;
5588 AbsUSubINTEL ! IntegerFunctions2INTEL; 5589 IAddSatINTEL ! IntegerFunctions2INTEL;
5590 UAddSatINTEL ! IntegerFunctions2INTEL; 5591 IAverageINTEL ! IntegerFunctions2INTEL;
5592 UAverageINTEL ! IntegerFunctions2INTEL; 5593 IAverageRoundedINTEL ! IntegerFunctions2INTEL;
5594 UAverageRoundedINTEL ! IntegerFunctions2INTEL; 5595 ISubSatINTEL ! IntegerFunctions2INTEL;
5596 USubSatINTEL ! IntegerFunctions2INTEL; 5597 IMul32x16INTEL ! IntegerFunctions2INTEL;
5598 UMul32x16INTEL ! IntegerFunctions2INTEL; 5600 ConstantFunctionPointerINTEL ! FunctionPointersINTEL;
5601 FunctionPointerCallINTEL ! FunctionPointersINTEL; 5609 AsmTargetINTEL ! AsmINTEL;
5610 AsmINTEL ! AsmINTEL; 5611 AsmCallINTEL ! AsmINTEL; 5614 AtomicFMinEXT T R I I I I;
5615 AtomicFMaxEXT T R I I I I; 5630 AssumeTrueKHR I; 5631 ExpectKHR T R I I;
5632 DecorateString I Decoration; 5633 MemberDecorateString I L Decoration;
5699 VmeImageINTEL ! SubgroupAvcMotionEstimationINTEL;
5700 TypeVmeImageINTEL ! SubgroupAvcMotionEstimationINTEL;
5701 TypeAvcImePayloadINTEL ! SubgroupAvcMotionEstimationINTEL;
5702 TypeAvcRefPayloadINTEL ! SubgroupAvcMotionEstimationINTEL;
5703 TypeAvcSicPayloadINTEL ! SubgroupAvcMotionEstimationINTEL;
5704 TypeAvcMcePayloadINTEL ! SubgroupAvcMotionEstimationINTEL;
5705 TypeAvcMceResultINTEL ! SubgroupAvcMotionEstimationINTEL;
5706 TypeAvcImeResultINTEL ! SubgroupAvcMotionEstimationINTEL;
5707 TypeAvcImeResultSingleReferenceStreamoutINTEL ! SubgroupAvcMotionEstimationINTEL;
5708 TypeAvcImeResultDualReferenceStreamoutINTEL ! SubgroupAvcMotionEstimationINTEL;
5709 TypeAvcImeSingleReferenceStreaminINTEL ! SubgroupAvcMotionEstimationINTEL;
5710 TypeAvcImeDualReferenceStreaminINTEL ! SubgroupAvcMotionEstimationINTEL;
5711 TypeAvcRefResultINTEL ! SubgroupAvcMotionEstimationINTEL;
5712 TypeAvcSicResultINTEL ! SubgroupAvcMotionEstimationINTEL;
5713 SubgroupAvcMceGetDefaultInterBaseMultiReferencePenaltyINTEL ! SubgroupAvcMotionEstimationINTEL;
5714 SubgroupAvcMceSetInterBaseMultiReferencePenaltyINTEL ! SubgroupAvcMotionEstimationINTEL;
5715 SubgroupAvcMceGetDefaultInterShapePenaltyINTEL ! SubgroupAvcMotionEstimationINTEL;
5716 SubgroupAvcMceSetInterShapePenaltyINTEL ! SubgroupAvcMotionEstimationINTEL;
5717 SubgroupAvcMceGetDefaultInterDirectionPenaltyINTEL ! SubgroupAvcMotionEstimationINTEL;
5718 SubgroupAvcMceSetInterDirectionPenaltyINTEL ! SubgroupAvcMotionEstimationINTEL; 5719
SubgroupAvcMceGetDefaultIntraLumaShapePenaltyINTEL ! SubgroupAvcMotionEstimationINTEL
SubgroupAvcMotionEstimationIntraINTEL;
5720 SubgroupAvcMceGetDefaultInterMotionVectorCostTableINTEL ! SubgroupAvcMotionEstimationINTEL;
5721 SubgroupAvcMceGetDefaultHighPenaltyCostTableINTEL ! SubgroupAvcMotionEstimationINTEL;
5722 SubgroupAvcMceGetDefaultMediumPenaltyCostTableINTEL ! SubgroupAvcMotionEstimationINTEL;
5723 SubgroupAvcMceGetDefaultLowPenaltyCostTableINTEL ! SubgroupAvcMotionEstimationINTEL;
5724 SubgroupAvcMceSetMotionVectorCostFunctionINTEL ! SubgroupAvcMotionEstimationINTEL; 5725
SubgroupAvcMceGetDefaultIntraLumaModePenaltyINTEL ! SubgroupAvcMotionEstimationINTEL
SubgroupAvcMotionEstimationIntraINTEL; 5726 SubgroupAvcMceGetDefaultNonDcLumaIntraPenaltyINTEL !
SubgroupAvcMotionEstimationINTEL SubgroupAvcMotionEstimationIntraINTEL; 5727
SubgroupAvcMceGetDefaultIntraChromaModeBasePenaltyINTEL ! SubgroupAvcMotionEstimationINTEL
SubgroupAvcMotionEstimationChromaINTEL;
5728 SubgroupAvcMceSetAcOnlyHaarINTEL ! SubgroupAvcMotionEstimationINTEL;
5729 SubgroupAvcMceSetSourceInterlacedFieldPolarityINTEL ! SubgroupAvcMotionEstimationINTEL;
5730 SubgroupAvcMceSetSingleReferenceInterlacedFieldPolarityINTEL ! SubgroupAvcMotionEstimationINTEL;
5731 SubgroupAvcMceSetDualReferenceInterlacedFieldPolaritiesINTEL ! SubgroupAvcMotionEstimationINTEL;
5732 SubgroupAvcMceConvertToImePayloadINTEL ! SubgroupAvcMotionEstimationINTEL;
5733 SubgroupAvcMceConvertToImeResultINTEL ! SubgroupAvcMotionEstimationINTEL;
5734 SubgroupAvcMceConvertToRefPayloadINTEL ! SubgroupAvcMotionEstimationINTEL;
5735 SubgroupAvcMceConvertToRefResultINTEL ! SubgroupAvcMotionEstimationINTEL;
5736 SubgroupAvcMceConvertToSicPayloadINTEL ! SubgroupAvcMotionEstimationINTEL;
5737 SubgroupAvcMceConvertToSicResultINTEL ! SubgroupAvcMotionEstimationINTEL;
5738 SubgroupAvcMceGetMotionVectorsINTEL ! SubgroupAvcMotionEstimationINTEL;
5739 SubgroupAvcMceGetInterDistortionsINTEL ! SubgroupAvcMotionEstimationINTEL;
5740 SubgroupAvcMceGetBestInterDistortionsINTEL ! SubgroupAvcMotionEstimationINTEL;
5741 SubgroupAvcMceGetInterMajorShapeINTEL ! SubgroupAvcMotionEstimationINTEL;
5742 SubgroupAvcMceGetInterMinorShapeINTEL ! SubgroupAvcMotionEstimationINTEL;
5743 SubgroupAvcMceGetInterDirectionsINTEL ! SubgroupAvcMotionEstimationINTEL;
5744 SubgroupAvcMceGetInterMotionVectorCountINTEL ! SubgroupAvcMotionEstimationINTEL;
5745 SubgroupAvcMceGetInterReferenceIdsINTEL ! SubgroupAvcMotionEstimationINTEL;
5746 SubgroupAvcMceGetInterReferenceInterlacedFieldPolaritiesINTEL ! SubgroupAvcMotionEstimationINTEL;
5747 SubgroupAvcImeInitializeINTEL ! SubgroupAvcMotionEstimationINTEL;
5748 SubgroupAvcImeSetSingleReferenceINTEL ! SubgroupAvcMotionEstimationINTEL;
5749 SubgroupAvcImeSetDualReferenceINTEL ! SubgroupAvcMotionEstimationINTEL;
5750 SubgroupAvcImeRefWindowSizeINTEL ! SubgroupAvcMotionEstimationINTEL;
5751 SubgroupAvcImeAdjustRefOffsetINTEL ! SubgroupAvcMotionEstimationINTEL;
5752 SubgroupAvcImeConvertToMcePayloadINTEL ! SubgroupAvcMotionEstimationINTEL;
5753 SubgroupAvcImeSetMaxMotionVectorCountINTEL ! SubgroupAvcMotionEstimationINTEL;
5754 SubgroupAvcImeSetUnidirectionalMixDisableINTEL ! SubgroupAvcMotionEstimationINTEL;
5755 SubgroupAvcImeSetEarlySearchTerminationThresholdINTEL ! SubgroupAvcMotionEstimationINTEL;
5756 SubgroupAvcImeSetWeightedSadINTEL ! SubgroupAvcMotionEstimationINTEL;
5757 SubgroupAvcImeEvaluateWithSingleReferenceINTEL ! SubgroupAvcMotionEstimationINTEL;
5758 SubgroupAvcImeEvaluateWithDualReferenceINTEL ! SubgroupAvcMotionEstimationINTEL;
5759 SubgroupAvcImeEvaluateWithSingleReferenceStreaminINTEL ! SubgroupAvcMotionEstimationINTEL;
5760 SubgroupAvcImeEvaluateWithDualReferenceStreaminINTEL ! SubgroupAvcMotionEstimationINTEL;
5761 SubgroupAvcImeEvaluateWithSingleReferenceStreamoutINTEL ! SubgroupAvcMotionEstimationINTEL;
5762 SubgroupAvcImeEvaluateWithDualReferenceStreamoutINTEL ! SubgroupAvcMotionEstimationINTEL;
5763 SubgroupAvcImeEvaluateWithSingleReferenceStreaminoutINTEL ! SubgroupAvcMotionEstimationINTEL;
5764 SubgroupAvcImeEvaluateWithDualReferenceStreaminoutINTEL ! SubgroupAvcMotionEstimationINTEL;
5765 SubgroupAvcImeConvertToMceResultINTEL ! SubgroupAvcMotionEstimationINTEL;
5766 SubgroupAvcImeGetSingleReferenceStreaminINTEL ! SubgroupAvcMotionEstimationINTEL;
5767 SubgroupAvcImeGetDualReferenceStreaminINTEL ! SubgroupAvcMotionEstimationINTEL;
5768 SubgroupAvcImeStripSingleReferenceStreamoutINTEL ! SubgroupAvcMotionEstimationINTEL;
5769 SubgroupAvcImeStripDualReferenceStreamoutINTEL ! SubgroupAvcMotionEstimationINTEL; 5770
SubgroupAvcImeGetStreamoutSingleReferenceMajorShapeMotionVectorsINTEL ! SubgroupAvcMotionEstimationINTEL;
5771 SubgroupAvcImeGetStreamoutSingleReferenceMajorShapeDistortionsINTEL !
SubgroupAvcMotionEstimationINTEL; 5772
SubgroupAvcImeGetStreamoutSingleReferenceMajorShapeReferenceIdsINTEL ! SubgroupAvcMotionEstimationINTEL;
5773 SubgroupAvcImeGetStreamoutDualReferenceMajorShapeMotionVectorsINTEL !
SubgroupAvcMotionEstimationINTEL;
5774 SubgroupAvcImeGetStreamoutDualReferenceMajorShapeDistortionsINTEL ! SubgroupAvcMotionEstimationINTEL;
5775 SubgroupAvcImeGetStreamoutDualReferenceMajorShapeReferenceIdsINTEL !
SubgroupAvcMotionEstimationINTEL;
5776 SubgroupAvcImeGetBorderReachedINTEL ! SubgroupAvcMotionEstimationINTEL;
5777 SubgroupAvcImeGetTruncatedSearchIndicationINTEL ! SubgroupAvcMotionEstimationINTEL;
5778 SubgroupAvcImeGetUnidirectionalEarlySearchTerminationINTEL ! SubgroupAvcMotionEstimationINTEL;
5779 SubgroupAvcImeGetWeightingPatternMinimumMotionVectorINTEL ! SubgroupAvcMotionEstimationINTEL;
5780 SubgroupAvcImeGetWeightingPatternMinimumDistortionINTEL ! SubgroupAvcMotionEstimationINTEL;
5781 SubgroupAvcFmeInitializeINTEL ! SubgroupAvcMotionEstimationINTEL;
5782 SubgroupAvcBmeInitializeINTEL ! SubgroupAvcMotionEstimationINTEL;
5783 SubgroupAvcRefConvertToMcePayloadINTEL ! SubgroupAvcMotionEstimationINTEL;
5784 SubgroupAvcRefSetBidirectionalMixDisableINTEL ! SubgroupAvcMotionEstimationINTEL;
5785 SubgroupAvcRefSetBilinearFilterEnableINTEL ! SubgroupAvcMotionEstimationINTEL;
5786 SubgroupAvcRefEvaluateWithSingleReferenceINTEL ! SubgroupAvcMotionEstimationINTEL;
5787 SubgroupAvcRefEvaluateWithDualReferenceINTEL ! SubgroupAvcMotionEstimationINTEL;
5788 SubgroupAvcRefEvaluateWithMultiReferenceINTEL ! SubgroupAvcMotionEstimationINTEL;
5789 SubgroupAvcRefEvaluateWithMultiReferenceInterlacedINTEL ! SubgroupAvcMotionEstimationINTEL;
5790 SubgroupAvcRefConvertToMceResultINTEL ! SubgroupAvcMotionEstimationINTEL;
5791 SubgroupAvcSicInitializeINTEL ! SubgroupAvcMotionEstimationINTEL;
5792 SubgroupAvcSicConfigureSkcINTEL ! SubgroupAvcMotionEstimationINTEL; 5793
SubgroupAvcSicConfigureIpeLumaINTEL ! SubgroupAvcMotionEstimationINTEL
SubgroupAvcMotionEstimationIntraINTEL; 5794 SubgroupAvcSicConfigureIpeLumaChromaINTEL !
SubgroupAvcMotionEstimationINTEL SubgroupAvcMotionEstimationChromaINTEL;
5795 SubgroupAvcSicGetMotionVectorMaskINTEL ! SubgroupAvcMotionEstimationINTEL;
5796 SubgroupAvcSicConvertToMcePayloadINTEL ! SubgroupAvcMotionEstimationINTEL;
5797 SubgroupAvcSicSetIntraLumaShapePenaltyINTEL ! SubgroupAvcMotionEstimationINTEL; 5798
SubgroupAvcSicSetIntraLumaModeCostFunctionINTEL ! SubgroupAvcMotionEstimationINTEL
SubgroupAvcMotionEstimationIntraINTEL; 5799 SubgroupAvcSicSetIntraChromaModeCostFunctionINTEL !
SubgroupAvcMotionEstimationINTEL SubgroupAvcMotionEstimationChromaINTEL;
5800 SubgroupAvcSicSetBilinearFilterEnableINTEL ! SubgroupAvcMotionEstimationINTEL;
5801 SubgroupAvcSicSetSkcForwardTransformEnableINTEL ! SubgroupAvcMotionEstimationINTEL;
5802 SubgroupAvcSicSetBlockBasedRawSkipSadINTEL ! SubgroupAvcMotionEstimationINTEL; 5803
SubgroupAvcSicEvaluateIpeINTEL ! SubgroupAvcMotionEstimationINTEL SubgroupAvcMotionEstimationIntraINTEL;
5804 SubgroupAvcSicEvaluateWithSingleReferenceINTEL ! SubgroupAvcMotionEstimationINTEL;
5805 SubgroupAvcSicEvaluateWithDualReferenceINTEL ! SubgroupAvcMotionEstimationINTEL;
5806 SubgroupAvcSicEvaluateWithMultiReferenceINTEL ! SubgroupAvcMotionEstimationINTEL;
5807 SubgroupAvcSicEvaluateWithMultiReferenceInterlacedINTEL ! SubgroupAvcMotionEstimationINTEL;
5808 SubgroupAvcSicConvertToMceResultINTEL ! SubgroupAvcMotionEstimationINTEL; 5809
SubgroupAvcSicGetIpeLumaShapeINTEL ! SubgroupAvcMotionEstimationINTEL
SubgroupAvcMotionEstimationIntraINTEL; 5810 SubgroupAvcSicGetBestIpeLumaDistortionINTEL !
SubgroupAvcMotionEstimationINTEL SubgroupAvcMotionEstimationIntraINTEL;
5811 SubgroupAvcSicGetBestIpeChromaDistortionINTEL ! SubgroupAvcMotionEstimationINTEL; 5812
SubgroupAvcSicGetPackedIpeLumaModesINTEL ! SubgroupAvcMotionEstimationINTEL
SubgroupAvcMotionEstimationIntraINTEL; 5813 SubgroupAvcSicGetIpeChromaModeINTEL !
SubgroupAvcMotionEstimationINTEL SubgroupAvcMotionEstimationChromaINTEL; 5814
SubgroupAvcSicGetPackedSkcLumaCountThresholdINTEL ! SubgroupAvcMotionEstimationINTEL
SubgroupAvcMotionEstimationIntraINTEL; 5815 SubgroupAvcSicGetPackedSkcLumaSumThresholdINTEL !
SubgroupAvcMotionEstimationINTEL SubgroupAvcMotionEstimationIntraINTEL;
5816 SubgroupAvcSicGetInterRawSadsINTEL ! SubgroupAvcMotionEstimationINTEL;
5818 VariableLengthArrayINTEL ! VariableLengthArrayINTEL; 5819 SaveMemoryINTEL ! VariableLengthArrayINTEL;
5820 RestoreMemoryINTEL ! VariableLengthArrayINTEL;
5840 ArbitraryFloatSinCosPiINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5841 ArbitraryFloatCastINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5842 ArbitraryFloatCastFromIntINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5843 ArbitraryFloatCastToIntINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5846 ArbitraryFloatAddINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5847 ArbitraryFloatSubINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5848 ArbitraryFloatMulINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5849 ArbitraryFloatDivINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5850 ArbitraryFloatGTINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5851 ArbitraryFloatGEINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5852 ArbitraryFloatLTINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5853 ArbitraryFloatLEINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5854 ArbitraryFloatEQINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5855 ArbitraryFloatRecipINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5856 ArbitraryFloatRSqrtINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5857 ArbitraryFloatCbrtINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5858 ArbitraryFloatHypotINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5859 ArbitraryFloatSqrtINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5860 ArbitraryFloatLogINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5861 ArbitraryFloatLog2INTEL ! ArbitraryPrecisionFloatingPointINTEL;
5862 ArbitraryFloatLog10INTEL ! ArbitraryPrecisionFloatingPointINTEL;
5863 ArbitraryFloatLog1pINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5864 ArbitraryFloatExpINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5865 ArbitraryFloatExp2INTEL ! ArbitraryPrecisionFloatingPointINTEL;
5866 ArbitraryFloatExp10INTEL ! ArbitraryPrecisionFloatingPointINTEL;
5867 ArbitraryFloatExpm1INTEL ! ArbitraryPrecisionFloatingPointINTEL;
5868 ArbitraryFloatSinINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5869 ArbitraryFloatCosINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5870 ArbitraryFloatSinCosINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5871 ArbitraryFloatSinPiINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5872 ArbitraryFloatCosPiINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5873 ArbitraryFloatASinINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5874 ArbitraryFloatASinPiINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5875 ArbitraryFloatACosINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5876 ArbitraryFloatACosPiINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5877 ArbitraryFloatATanINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5878 ArbitraryFloatATanPiINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5879 ArbitraryFloatATan2INTEL ! ArbitraryPrecisionFloatingPointINTEL;
5880 ArbitraryFloatPowINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5881 ArbitraryFloatPowRINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5882 ArbitraryFloatPowNINTEL ! ArbitraryPrecisionFloatingPointINTEL;
5887 LoopControlINTEL ! UnstructuredLoopControlsINTEL; 5911 AliasDomainDeclINTEL R I?;
5912 AliasScopeDeclINTEL R I I?; 5913 AliasScopeListDeclINTEL R I*;
5923 FixedSqrtINTEL ! ArbitraryPrecisionFixedPointINTEL;
5924 FixedRecipINTEL ! ArbitraryPrecisionFixedPointINTEL;
5925 FixedRsqrtINTEL ! ArbitraryPrecisionFixedPointINTEL;
5926 FixedSinINTEL ! ArbitraryPrecisionFixedPointINTEL;
5927 FixedCosINTEL ! ArbitraryPrecisionFixedPointINTEL;
5928 FixedSinCosINTEL ! ArbitraryPrecisionFixedPointINTEL;
5929 FixedSinPiINTEL ! ArbitraryPrecisionFixedPointINTEL;
5930 FixedCosPiINTEL ! ArbitraryPrecisionFixedPointINTEL;
5931 FixedSinCosPiINTEL ! ArbitraryPrecisionFixedPointINTEL;
5932 FixedLogINTEL ! ArbitraryPrecisionFixedPointINTEL;
5933 FixedExpINTEL ! ArbitraryPrecisionFixedPointINTEL;
5934 PtrCastToCrossWorkgroupINTEL ! USMStorageClassesINTEL;
5938 CrossWorkgroupCastToPtrINTEL ! USMStorageClassesINTEL;
5946 ReadPipeBlockingINTEL ! BlockingPipesINTEL; 5947 WritePipeBlockingINTEL ! BlockingPipesINTEL;
5949 FPGARegINTEL ! FPGARegINTEL; 6016 RayQueryGetRayTMinKHR ! RayQueryKHR;
6017 RayQueryGetRayFlagsKHR ! RayQueryKHR; 6018 RayQueryGetIntersectionTKHR ! RayQueryKHR;
6019 RayQueryGetIntersectionInstanceCustomIndexKHR ! RayQueryKHR;
6020 RayQueryGetIntersectionInstanceIdKHR ! RayQueryKHR;
6021 RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR ! RayQueryKHR;
6022 RayQueryGetIntersectionGeometryIndexKHR ! RayQueryKHR;
6023 RayQueryGetIntersectionPrimitiveIndexKHR ! RayQueryKHR;
6024 RayQueryGetIntersectionBarycentricsKHR ! RayQueryKHR;
6025 RayQueryGetIntersectionFrontFaceKHR ! RayQueryKHR;
6026 RayQueryGetIntersectionCandidateAABBOpaqueKHR ! RayQueryKHR;
6027 RayQueryGetIntersectionObjectRayDirectionKHR ! RayQueryKHR;
6028 RayQueryGetIntersectionObjectRayOriginKHR ! RayQueryKHR;
6029 RayQueryGetWorldRayDirectionKHR ! RayQueryKHR; 6030 RayQueryGetWorldRayOriginKHR ! RayQueryKHR;
6031 RayQueryGetIntersectionObjectToWorldKHR ! RayQueryKHR;
6032 RayQueryGetIntersectionWorldToObjectKHR ! RayQueryKHR; 6035 AtomicFAddEXT T R I I I I;
6086 TypeBufferSurfaceINTEL ! VectorComputeINTEL;
6090 TypeStructContinuedINTEL ! LongConstantCompositeINTEL;
6091 ConstantCompositeContinuedINTEL ! LongConstantCompositeINTEL;
6092 SpecConstantCompositeContinuedINTEL ! LongConstantCompositeINTEL;
6142 ControlBarrierArriveINTEL ! SplitBarrierINTEL; 6143 ControlBarrierWaitINTEL ! SplitBarrierINTEL;
6401 GroupIMulKHR T R I GroupOperation I; 6402 GroupFMulKHR T R I GroupOperation I;
6403 GroupBitwiseAndKHR T R I GroupOperation I; 6404 GroupBitwiseOrKHR T R I GroupOperation I;
6405 GroupBitwiseXorKHR T R I GroupOperation I; 6406 GroupLogicalAndKHR T R I GroupOperation I;
6407 GroupLogicalOrKHR T R I GroupOperation I; 6408 GroupLogicalXorKHR T R I GroupOperation I
"""

ENUMERATIONS = {
    "AccessQualifier": """
0 ReadOnly; 1 WriteOnly; 2 ReadWrite
""",
    "AddressingModel": """
0 Logical; 1 Physical32; 2 Physical64; 5348 PhysicalStorageBuffer64 ! PhysicalStorageBufferAddresses
""",
    "BuiltIn": """
0 Position ! Shader; 1 PointSize ! Shader; 3 ClipDistance ! ClipDistance; 4 CullDistance ! CullDistance;
5 VertexId ! Shader; 6 InstanceId ! Shader;
7 PrimitiveId ! Geometry Tessellation RayTracingNV RayTracingKHR MeshShadingNV MeshShadingEXT;
8 InvocationId ! Geometry Tessellation;
9 Layer ! Geometry ShaderLayer ShaderViewportIndexLayerEXT MeshShadingNV MeshShadingEXT; 10 ViewportIndex
! MultiViewport ShaderViewportIndex ShaderViewportIndexLayerEXT MeshShadingNV MeshShadingEXT;
11 TessLevelOuter ! Tessellation; 12 TessLevelInner ! Tessellation; 13 TessCoord ! Tessellation;
14 PatchVertices ! Tessellation; 15 FragCoord ! Shader; 16 PointCoord ! Shader; 17 FrontFacing ! Shader;
18 SampleId ! SampleRateShading; 19 SamplePosition ! SampleRateShading; 20 SampleMask ! Shader;
22 FragDepth ! Shader; 23 HelperInvocation ! Shader; 24 NumWorkgroups; 25 WorkgroupSize; 26 WorkgroupId;
27 LocalInvocationId; 28 GlobalInvocationId; 29 LocalInvocationIndex; 30 WorkDim; 31 GlobalSize;
32 EnqueuedWorkgroupSize; 33 GlobalOffset; 34 GlobalLinearId; 36 SubgroupSize; 37 SubgroupMaxSize;
38 NumSubgroups; 39 NumEnqueuedSubgroups; 40 SubgroupId; 41 SubgroupLocalInvocationId;
42 VertexIndex ! Shader; 43 InstanceIndex ! Shader; 4160 CoreIDARM ! CoreBuiltinsARM;
4161 CoreCountARM ! CoreBuiltinsARM; 4162 CoreMaxIDARM ! CoreBuiltinsARM;
4163 WarpIDARM ! CoreBuiltinsARM; 4164 WarpMaxIDARM ! CoreBuiltinsARM; 4416 SubgroupEqMask;
4417 SubgroupGeMask; 4418 SubgroupGtMask; 4419 SubgroupLeMask; 4420 SubgroupLtMask;
4424 BaseVertex ! DrawParameters; 4425 BaseInstance ! DrawParameters;
4426 DrawIndex ! DrawParameters MeshShadingNV MeshShadingEXT;
4432 PrimitiveShadingRateKHR ! FragmentShadingRateKHR; 4438 DeviceIndex ! DeviceGroup;
4440 ViewIndex ! MultiView; 4444 ShadingRateKHR ! FragmentShadingRateKHR; 4992 BaryCoordNoPerspAMD;
4993 BaryCoordNoPerspCentroidAMD; 4994 BaryCoordNoPerspSampleAMD; 4995 BaryCoordSmoothAMD;
4996 BaryCoordSmoothCentroidAMD; 4997 BaryCoordSmoothSampleAMD; 4998 BaryCoordPullModelAMD;
5014 FragStencilRefEXT ! StencilExportEXT; 5253 ViewportMaskNV ! ShaderViewportMaskNV MeshShadingNV;
5257 SecondaryPositionNV ! ShaderStereoViewNV; 5258 SecondaryViewportMaskNV ! ShaderStereoViewNV;
5261 PositionPerViewNV ! PerViewAttributesNV MeshShadingNV;
5262 ViewportMaskPerViewNV ! PerViewAttributesNV MeshShadingNV;
5264 FullyCoveredEXT ! FragmentFullyCoveredEXT; 5274 TaskCountNV ! MeshShadingNV;
5275 PrimitiveCountNV ! MeshShadingNV; 5276 PrimitiveIndicesNV ! MeshShadingNV;
5277 ClipDistancePerViewNV ! MeshShadingNV; 5278 CullDistancePerViewNV ! MeshShadingNV;
5279 LayerPerViewNV ! MeshShadingNV; 5280 MeshViewCountNV ! MeshShadingNV;
5281 MeshViewIndicesNV ! MeshShadingNV; 5286 BaryCoordKHR ! FragmentBarycentricNV FragmentBarycentricKHR;
5287 BaryCoordNoPerspKHR ! FragmentBarycentricNV FragmentBarycentricKHR;
5292 FragSizeEXT ! FragmentDensityEXT ShadingRateNV;
5293 FragInvocationCountEXT ! FragmentDensityEXT ShadingRateNV;
5294 PrimitivePointIndicesEXT ! MeshShadingEXT; 5295 PrimitiveLineIndicesEXT ! MeshShadingEXT;
5296 PrimitiveTriangleIndicesEXT ! MeshShadingEXT; 5299 CullPrimitiveEXT ! MeshShadingEXT;
5319 LaunchIdNV ! RayTracingNV RayTracingKHR; 5320 LaunchSizeNV ! RayTracingNV RayTracingKHR;
5321 WorldRayOriginNV ! RayTracingNV RayTracingKHR; 5322 WorldRayDirectionNV ! RayTracingNV RayTracingKHR;
5323 ObjectRayOriginNV ! RayTracingNV RayTracingKHR;
5324 ObjectRayDirectionNV ! RayTracingNV RayTracingKHR; 5325 RayTminNV ! RayTracingNV RayTracingKHR;
5326 RayTmaxNV ! RayTracingNV RayTracingKHR; 5327 InstanceCustomIndexNV ! RayTracingNV RayTracingKHR;
5330 ObjectToWorldNV ! RayTracingNV RayTracingKHR; 5331 WorldToObjectNV ! RayTracingNV RayTracingKHR;
5332 HitTNV ! RayTracingNV; 5333 HitKindNV ! RayTracingNV RayTracingKHR;
5334 CurrentRayTimeNV ! RayTracingMotionBlurNV; 5351 IncomingRayFlagsNV ! RayTracingNV RayTracingKHR;
5352 RayGeometryIndexKHR ! RayTracingKHR; 5374 WarpsPerSMNV ! ShaderSMBuiltinsNV;
5375 SMCountNV ! ShaderSMBuiltinsNV; 5376 WarpIDNV ! ShaderSMBuiltinsNV; 5377 SMIDNV ! ShaderSMBuiltinsNV;
6021 CullMaskKHR ! RayCullMaskKHR
""",
    "Capability": """
0 Matrix; 1 Shader; 2 Geometry; 3 Tessellation; 4 Addresses; 5 Linkage; 6 Kernel; 7 Vector16;
8 Float16Buffer; 9 Float16; 10 Float64; 11 Int64; 12 Int64Atomics; 13 ImageBasic; 14 ImageReadWrite;
15 ImageMipmap; 17 Pipes; 18 Groups; 19 DeviceEnqueue; 20 LiteralSampler; 21 AtomicStorage; 22 Int16;
23 TessellationPointSize; 24 GeometryPointSize; 25 ImageGatherExtended; 27 StorageImageMultisample;
28 UniformBufferArrayDynamicIndexing; 29 SampledImageArrayDynamicIndexing;
30 StorageBufferArrayDynamicIndexing; 31 StorageImageArrayDynamicIndexing; 32 ClipDistance;
33 CullDistance; 34 ImageCubeArray; 35 SampleRateShading; 36 ImageRect; 37 SampledRect; 38 GenericPointer;
39 Int8; 40 InputAttachment; 41 SparseResidency; 42 MinLod; 43 Sampled1D; 44 Image1D; 45 SampledCubeArray;
46 SampledBuffer; 47 ImageBuffer; 48 ImageMSArray; 49 StorageImageExtendedFormats; 50 ImageQuery;
51 DerivativeControl; 52 InterpolationFunction; 53 TransformFeedback; 54 GeometryStreams;
55 StorageImageReadWithoutFormat; 56 StorageImageWriteWithoutFormat; 57 MultiViewport;
58 SubgroupDispatch; 59 NamedBarrier; 60 PipeStorage; 61 GroupNonUniform; 62 GroupNonUniformVote;
63 GroupNonUniformArithmetic; 64 GroupNonUniformBallot; 65 GroupNonUniformShuffle;
66 GroupNonUniformShuffleRelative; 67 GroupNonUniformClustered; 68 GroupNonUniformQuad; 69 ShaderLayer;
70 ShaderViewportIndex; 71 UniformDecoration; 4165 CoreBuiltinsARM; 4422 FragmentShadingRateKHR;
4423 SubgroupBallotKHR; 4427 DrawParameters; 4428 WorkgroupMemoryExplicitLayoutKHR;
4429 WorkgroupMemoryExplicitLayout8BitAccessKHR; 4430 WorkgroupMemoryExplicitLayout16BitAccessKHR;
4431 SubgroupVoteKHR; 4433 StorageBuffer16BitAccess; 4434 UniformAndStorageBuffer16BitAccess;
4435 StoragePushConstant16; 4436 StorageInputOutput16; 4437 DeviceGroup; 4439 MultiView;
4441 VariablePointersStorageBuffer; 4442 VariablePointers; 4445 AtomicStorageOps;
4447 SampleMaskPostDepthCoverage; 4448 StorageBuffer8BitAccess; 4449 UniformAndStorageBuffer8BitAccess;
4450 StoragePushConstant8; 4464 DenormPreserve; 4465 DenormFlushToZero; 4466 SignedZeroInfNanPreserve;
4467 RoundingModeRTE; 4468 RoundingModeRTZ; 4471 RayQueryProvisionalKHR; 4472 RayQueryKHR;
4478 RayTraversalPrimitiveCullingKHR; 4479 RayTracingKHR; 5008 Float16ImageAMD;
5009 ImageGatherBiasLodAMD; 5010 FragmentMaskAMD; 5013 StencilExportEXT; 5015 ImageReadWriteLodAMD;
5016 Int64ImageEXT; 5055 ShaderClockKHR; 5249 SampleMaskOverrideCoverageNV;
5251 GeometryShaderPassthroughNV; 5254 ShaderViewportIndexLayerEXT; 5255 ShaderViewportMaskNV;
5259 ShaderStereoViewNV; 5260 PerViewAttributesNV; 5265 FragmentFullyCoveredEXT; 5266 MeshShadingNV;
5282 ImageFootprintNV; 5283 MeshShadingEXT; 5284 FragmentBarycentricKHR;
5288 ComputeDerivativeGroupQuadsNV; 5291 FragmentDensityEXT; 5297 GroupNonUniformPartitionedNV;
5301 ShaderNonUniform; 5302 RuntimeDescriptorArray; 5303 InputAttachmentArrayDynamicIndexing;
5304 UniformTexelBufferArrayDynamicIndexing; 5305 StorageTexelBufferArrayDynamicIndexing;
5306 UniformBufferArrayNonUniformIndexing; 5307 SampledImageArrayNonUniformIndexing;
5308 StorageBufferArrayNonUniformIndexing; 5309 StorageImageArrayNonUniformIndexing;
5310 InputAttachmentArrayNonUniformIndexing; 5311 UniformTexelBufferArrayNonUniformIndexing;
5312 StorageTexelBufferArrayNonUniformIndexing; 5340 RayTracingNV; 5341 RayTracingMotionBlurNV;
5345 VulkanMemoryModel; 5346 VulkanMemoryModelDeviceScope; 5347 PhysicalStorageBufferAddresses;
5350 ComputeDerivativeGroupLinearNV; 5353 RayTracingProvisionalKHR; 5357 CooperativeMatrixNV;
5363 FragmentShaderSampleInterlockEXT; 5372 FragmentShaderShadingRateInterlockEXT;
5373 ShaderSMBuiltinsNV; 5378 FragmentShaderPixelInterlockEXT; 5379 DemoteToHelperInvocation;
5381 RayTracingOpacityMicromapEXT; 5383 ShaderInvocationReorderNV; 5390 BindlessTextureNV;
5568 SubgroupShuffleINTEL; 5569 SubgroupBufferBlockIOINTEL; 5570 SubgroupImageBlockIOINTEL;
5579 SubgroupImageMediaBlockIOINTEL; 5582 RoundToInfinityINTEL; 5583 FloatingPointModeINTEL;
5584 IntegerFunctions2INTEL; 5603 FunctionPointersINTEL; 5604 IndirectReferencesINTEL; 5606 AsmINTEL;
5612 AtomicFloat32MinMaxEXT; 5613 AtomicFloat64MinMaxEXT; 5616 AtomicFloat16MinMaxEXT;
5617 VectorComputeINTEL; 5619 VectorAnyINTEL; 5629 ExpectAssumeKHR; 5696 SubgroupAvcMotionEstimationINTEL;
5697 SubgroupAvcMotionEstimationIntraINTEL; 5698 SubgroupAvcMotionEstimationChromaINTEL;
5817 VariableLengthArrayINTEL; 5821 FunctionFloatControlINTEL; 5824 FPGAMemoryAttributesINTEL;
5837 FPFastMathModeINTEL; 5844 ArbitraryPrecisionIntegersINTEL; 5845 ArbitraryPrecisionFloatingPointINTEL;
5886 UnstructuredLoopControlsINTEL; 5888 FPGALoopControlsINTEL; 5892 KernelAttributesINTEL;
5897 FPGAKernelAttributesINTEL; 5898 FPGAMemoryAccessesINTEL; 5904 FPGAClusterAttributesINTEL;
5906 LoopFuseINTEL; 5908 FPGADSPControlINTEL; 5910 MemoryAccessAliasingINTEL;
5916 FPGAInvocationPipeliningAttributesINTEL; 5920 FPGABufferLocationINTEL;
5922 ArbitraryPrecisionFixedPointINTEL; 5935 USMStorageClassesINTEL; 5939 RuntimeAlignedAttributeINTEL;
5943 IOPipesINTEL; 5945 BlockingPipesINTEL; 5948 FPGARegINTEL; 6016 DotProductInputAll;
6017 DotProductInput4x8Bit; 6018 DotProductInput4x8BitPacked; 6019 DotProduct; 6020 RayCullMaskKHR;
6025 BitInstructions; 6026 GroupNonUniformRotateKHR; 6033 AtomicFloat32AddEXT; 6034 AtomicFloat64AddEXT;
6089 LongConstantCompositeINTEL; 6094 OptNoneINTEL; 6095 AtomicFloat16AddEXT; 6114 DebugInfoModuleINTEL;
6141 SplitBarrierINTEL; 6400 GroupUniformArithmeticKHR
""",
    "Decoration": """
0 RelaxedPrecision ! Shader; 1 SpecId L; 2 Block ! Shader; 3 BufferBlock ! Shader; 4 RowMajor ! Matrix;
5 ColMajor ! Matrix; 6 ArrayStride ! Shader; 7 MatrixStride ! Matrix; 8 GLSLShared ! Shader;
9 GLSLPacked ! Shader; 10 CPacked; 11 BuiltIn BuiltIn; 13 NoPerspective ! Shader; 14 Flat ! Shader;
15 Patch ! Tessellation; 16 Centroid ! Shader; 17 Sample ! SampleRateShading; 18 Invariant ! Shader;
19 Restrict; 20 Aliased; 21 Volatile; 22 Constant; 23 Coherent; 24 NonWritable; 25 NonReadable;
26 Uniform; 27 UniformId I; 28 SaturatedConversion; 29 Stream ! GeometryStreams; 30 Location ! Shader;
31 Component ! Shader; 32 Index ! Shader; 33 Binding ! Shader; 34 DescriptorSet ! Shader;
35 Offset ! Shader; 36 XfbBuffer ! TransformFeedback; 37 XfbStride ! TransformFeedback;
38 FuncParamAttr FunctionParameterAttribute; 39 FPRoundingMode FPRoundingMode;
40 FPFastMathMode FPFastMathMode; 41 LinkageAttributes S LinkageType; 42 NoContraction ! Shader;
43 InputAttachmentIndex ! InputAttachment; 44 Alignment L; 45 MaxByteOffset L; 46 AlignmentId I;
47 MaxByteOffsetId I; 4469 NoSignedWrap; 4470 NoUnsignedWrap; 4999 ExplicitInterpAMD;
5248 OverrideCoverageNV ! SampleMaskOverrideCoverageNV; 5250 PassthroughNV ! GeometryShaderPassthroughNV;
5252 ViewportRelativeNV ! ShaderViewportMaskNV; 5256 SecondaryViewportRelativeNV ! ShaderStereoViewNV;
5271 PerPrimitiveNV ! MeshShadingNV MeshShadingEXT; 5272 PerViewNV ! MeshShadingNV;
5273 PerTaskNV ! MeshShadingNV MeshShadingEXT;
5285 PerVertexKHR ! FragmentBarycentricNV FragmentBarycentricKHR; 5300 NonUniform ! ShaderNonUniform;
5355 RestrictPointer ! PhysicalStorageBufferAddresses;
5356 AliasedPointer ! PhysicalStorageBufferAddresses;
5386 HitObjectShaderRecordBufferNV ! ShaderInvocationReorderNV;
5398 BindlessSamplerNV ! BindlessTextureNV; 5399 BindlessImageNV ! BindlessTextureNV;
5400 BoundSamplerNV ! BindlessTextureNV; 5401 BoundImageNV ! BindlessTextureNV;
5599 SIMTCallINTEL ! VectorComputeINTEL; 5602 ReferencedIndirectlyINTEL ! IndirectReferencesINTEL;
5607 ClobberINTEL ! AsmINTEL; 5608 SideEffectsINTEL ! AsmINTEL;
5624 VectorComputeVariableINTEL ! VectorComputeINTEL; 5625 FuncParamIOKindINTEL ! VectorComputeINTEL;
5626 VectorComputeFunctionINTEL ! VectorComputeINTEL; 5627 StackCallINTEL ! VectorComputeINTEL;
5628 GlobalVariableOffsetINTEL ! VectorComputeINTEL; 5634 CounterBuffer I; 5635 UserSemantic S;
5636 UserTypeGOOGLE S; 5822 FunctionRoundingModeINTEL ! FunctionFloatControlINTEL;
5823 FunctionDenormModeINTEL ! FunctionFloatControlINTEL; 5825 RegisterINTEL ! FPGAMemoryAttributesINTEL;
5826 MemoryINTEL ! FPGAMemoryAttributesINTEL; 5827 NumbanksINTEL ! FPGAMemoryAttributesINTEL;
5828 BankwidthINTEL ! FPGAMemoryAttributesINTEL; 5829 MaxPrivateCopiesINTEL ! FPGAMemoryAttributesINTEL;
5830 SinglepumpINTEL ! FPGAMemoryAttributesINTEL; 5831 DoublepumpINTEL ! FPGAMemoryAttributesINTEL;
5832 MaxReplicatesINTEL ! FPGAMemoryAttributesINTEL; 5833 SimpleDualPortINTEL ! FPGAMemoryAttributesINTEL;
5834 MergeINTEL ! FPGAMemoryAttributesINTEL; 5835 BankBitsINTEL ! FPGAMemoryAttributesINTEL;
5836 ForcePow2DepthINTEL ! FPGAMemoryAttributesINTEL; 5899 BurstCoalesceINTEL ! FPGAMemoryAccessesINTEL;
5900 CacheSizeINTEL ! FPGAMemoryAccessesINTEL; 5901 DontStaticallyCoalesceINTEL ! FPGAMemoryAccessesINTEL;
5902 PrefetchINTEL ! FPGAMemoryAccessesINTEL; 5905 StallEnableINTEL ! FPGAClusterAttributesINTEL;
5907 FuseLoopsInFunctionINTEL ! LoopFuseINTEL; 5909 MathOpDSPModeINTEL ! FPGADSPControlINTEL;
5914 AliasScopeINTEL I; 5915 NoAliasINTEL I;
5917 InitiationIntervalINTEL ! FPGAInvocationPipeliningAttributesINTEL;
5918 MaxConcurrencyINTEL ! FPGAInvocationPipeliningAttributesINTEL;
5919 PipelineEnableINTEL ! FPGAInvocationPipeliningAttributesINTEL;
5921 BufferLocationINTEL ! FPGABufferLocationINTEL; 5944 IOPipeStorageINTEL ! IOPipesINTEL;
6080 FunctionFloatingPointModeINTEL ! FunctionFloatControlINTEL;
6085 SingleElementVectorINTEL ! VectorComputeINTEL;
6087 VectorComputeCallableFunctionINTEL ! VectorComputeINTEL; 6140 MediaBlockIOINTEL ! VectorComputeINTEL
""",
    "Dim": """
0 1D; 1 2D; 2 3D; 3 Cube ! Shader ImageCubeArray; 4 Rect ! SampledRect ImageRect; 5 Buffer;
6 SubpassData ! InputAttachment
""",
    "ExecutionMode": """
0 Invocations ! Geometry; 1 SpacingEqual ! Tessellation; 2 SpacingFractionalEven ! Tessellation;
3 SpacingFractionalOdd ! Tessellation; 4 VertexOrderCw ! Tessellation; 5 VertexOrderCcw ! Tessellation;
6 PixelCenterInteger ! Shader; 7 OriginUpperLeft ! Shader; 8 OriginLowerLeft ! Shader;
9 EarlyFragmentTests ! Shader; 10 PointMode ! Tessellation; 11 Xfb ! TransformFeedback;
12 DepthReplacing ! Shader; 14 DepthGreater ! Shader; 15 DepthLess ! Shader; 16 DepthUnchanged ! Shader;
17 LocalSize L L L; 18 LocalSizeHint L L L; 19 InputPoints ! Geometry; 20 InputLines ! Geometry;
21 InputLinesAdjacency ! Geometry; 22 Triangles ! Geometry Tessellation;
23 InputTrianglesAdjacency ! Geometry; 24 Quads ! Tessellation; 25 Isolines ! Tessellation;
26 OutputVertices ! Geometry Tessellation MeshShadingNV MeshShadingEXT;
27 OutputPoints ! Geometry MeshShadingNV MeshShadingEXT; 28 OutputLineStrip ! Geometry;
29 OutputTriangleStrip ! Geometry; 30 VecTypeHint L; 31 ContractionOff; 33 Initializer; 34 Finalizer;
35 SubgroupSize L; 36 SubgroupsPerWorkgroup L; 37 SubgroupsPerWorkgroupId I; 38 LocalSizeId I I I;
39 LocalSizeHintId I I I; 4421 SubgroupUniformControlFlowKHR ! Shader;
4446 PostDepthCoverage ! SampleMaskPostDepthCoverage; 4459 DenormPreserve ! DenormPreserve;
4460 DenormFlushToZero ! DenormFlushToZero; 4461 SignedZeroInfNanPreserve ! SignedZeroInfNanPreserve;
4462 RoundingModeRTE ! RoundingModeRTE; 4463 RoundingModeRTZ ! RoundingModeRTZ;
5017 EarlyAndLateFragmentTestsAMD ! Shader; 5027 StencilRefReplacingEXT ! StencilExportEXT;
5079 StencilRefUnchangedFrontAMD ! StencilExportEXT; 5080 StencilRefGreaterFrontAMD ! StencilExportEXT;
5081 StencilRefLessFrontAMD ! StencilExportEXT; 5082 StencilRefUnchangedBackAMD ! StencilExportEXT;
5083 StencilRefGreaterBackAMD ! StencilExportEXT; 5084 StencilRefLessBackAMD ! StencilExportEXT;
5269 OutputLinesNV ! MeshShadingNV MeshShadingEXT; 5270 OutputPrimitivesNV ! MeshShadingNV MeshShadingEXT;
5289 DerivativeGroupQuadsNV ! ComputeDerivativeGroupQuadsNV;
5290 DerivativeGroupLinearNV ! ComputeDerivativeGroupLinearNV;
5298 OutputTrianglesNV ! MeshShadingNV MeshShadingEXT;
5366 PixelInterlockOrderedEXT ! FragmentShaderPixelInterlockEXT;
5367 PixelInterlockUnorderedEXT ! FragmentShaderPixelInterlockEXT;
5368 SampleInterlockOrderedEXT ! FragmentShaderSampleInterlockEXT;
5369 SampleInterlockUnorderedEXT ! FragmentShaderSampleInterlockEXT;
5370 ShadingRateInterlockOrderedEXT ! FragmentShaderShadingRateInterlockEXT;
5371 ShadingRateInterlockUnorderedEXT ! FragmentShaderShadingRateInterlockEXT;
5618 SharedLocalMemorySizeINTEL ! VectorComputeINTEL; 5620 RoundingModeRTPINTEL ! RoundToInfinityINTEL;
5621 RoundingModeRTNINTEL ! RoundToInfinityINTEL; 5622 FloatingPointModeALTINTEL ! RoundToInfinityINTEL;
5623 FloatingPointModeIEEEINTEL ! RoundToInfinityINTEL;
5893 MaxWorkgroupSizeINTEL ! KernelAttributesINTEL; 5894 MaxWorkDimINTEL ! KernelAttributesINTEL;
5895 NoGlobalOffsetINTEL ! KernelAttributesINTEL; 5896 NumSIMDWorkitemsINTEL ! FPGAKernelAttributesINTEL;
5903 SchedulerTargetFmaxMhzINTEL ! FPGAKernelAttributesINTEL;
6154 StreamingInterfaceINTEL ! FPGAKernelAttributesINTEL; 6417 NamedBarrierCountINTEL ! VectorComputeINTEL
""",
    "ExecutionModel": """
0 Vertex ! Shader; 1 TessellationControl ! Tessellation; 2 TessellationEvaluation ! Tessellation;
3 Geometry ! Geometry; 4 Fragment ! Shader; 5 GLCompute ! Shader; 6 Kernel; 5267 TaskNV ! MeshShadingNV;
5268 MeshNV ! MeshShadingNV; 5313 RayGenerationNV ! RayTracingNV RayTracingKHR;
5314 IntersectionNV ! RayTracingNV RayTracingKHR; 5315 AnyHitNV ! RayTracingNV RayTracingKHR;
5316 ClosestHitNV ! RayTracingNV RayTracingKHR; 5317 MissNV ! RayTracingNV RayTracingKHR;
5318 CallableNV ! RayTracingNV RayTracingKHR; 5364 TaskEXT ! MeshShadingEXT; 5365 MeshEXT ! MeshShadingEXT
""",
    "FPFastMathMode": """
0 None; 1 NotNaN; 2 NotInf; 4 NSZ; 8 AllowRecip; 16 Fast; 65536 AllowContractFastINTEL;
131072 AllowReassocINTEL
""",
    "FPRoundingMode": """
0 RTE; 1 RTZ; 2 RTP; 3 RTN
""",
    "FunctionControl": """
0 None; 1 Inline; 2 DontInline; 4 Pure; 8 Const; 65536 OptNoneINTEL
""",
    "FunctionParameterAttribute": """
0 Zext; 1 Sext; 2 ByVal; 3 Sret; 4 NoAlias; 5 NoCapture; 6 NoWrite; 7 NoReadWrite;
5940 RuntimeAlignedINTEL ! RuntimeAlignedAttributeINTEL
""",
    "GroupOperation": """
0 Reduce; 1 InclusiveScan; 2 ExclusiveScan; 3 ClusteredReduce;
6 PartitionedReduceNV ! GroupNonUniformPartitionedNV;
7 PartitionedInclusiveScanNV ! GroupNonUniformPartitionedNV;
8 PartitionedExclusiveScanNV ! GroupNonUniformPartitionedNV
""",
    "ImageFormat": """
0 Unknown; 1 Rgba32f ! Shader; 2 Rgba16f ! Shader; 3 R32f ! Shader; 4 Rgba8 ! Shader;
5 Rgba8Snorm ! Shader; 6 Rg32f ! StorageImageExtendedFormats; 7 Rg16f ! StorageImageExtendedFormats;
8 R11fG11fB10f ! StorageImageExtendedFormats; 9 R16f ! StorageImageExtendedFormats;
10 Rgba16 ! StorageImageExtendedFormats; 11 Rgb10A2 ! StorageImageExtendedFormats;
12 Rg16 ! StorageImageExtendedFormats; 13 Rg8 ! StorageImageExtendedFormats;
14 R16 ! StorageImageExtendedFormats; 15 R8 ! StorageImageExtendedFormats;
16 Rgba16Snorm ! StorageImageExtendedFormats; 17 Rg16Snorm ! StorageImageExtendedFormats;
18 Rg8Snorm ! StorageImageExtendedFormats; 19 R16Snorm ! StorageImageExtendedFormats;
20 R8Snorm ! StorageImageExtendedFormats; 21 Rgba32i ! Shader; 22 Rgba16i ! Shader; 23 Rgba8i ! Shader;
24 R32i ! Shader; 25 Rg32i ! StorageImageExtendedFormats; 26 Rg16i ! StorageImageExtendedFormats;
27 Rg8i ! StorageImageExtendedFormats; 28 R16i ! StorageImageExtendedFormats;
29 R8i ! StorageImageExtendedFormats; 30 Rgba32ui ! Shader; 31 Rgba16ui ! Shader; 32 Rgba8ui ! Shader;
33 R32ui ! Shader; 34 Rgb10a2ui ! StorageImageExtendedFormats; 35 Rg32ui ! StorageImageExtendedFormats;
36 Rg16ui ! StorageImageExtendedFormats; 37 Rg8ui ! StorageImageExtendedFormats;
38 R16ui ! StorageImageExtendedFormats; 39 R8ui ! StorageImageExtendedFormats; 40 R64ui ! Int64ImageEXT;
41 R64i ! Int64ImageEXT
""",
    "ImageOperands": """
0 None; 1 Bias ! Shader; 2 Lod I; 4 Grad I I; 8 ConstOffset I; 16 Offset ! ImageGatherExtended;
32 ConstOffsets ! ImageGatherExtended; 64 Sample I; 128 MinLod ! MinLod;
256 MakeTexelAvailable ! VulkanMemoryModel; 512 MakeTexelVisible ! VulkanMemoryModel;
1024 NonPrivateTexel ! VulkanMemoryModel; 2048 VolatileTexel ! VulkanMemoryModel; 4096 SignExtend;
8192 ZeroExtend; 16384 Nontemporal; 65536 Offsets I
""",
    "LinkageType": """
0 Export; 1 Import; 2 LinkOnceODR
""",
    "LoopControl": """
0 None; 1 Unroll; 2 DontUnroll; 4 DependencyInfinite; 8 DependencyLength L; 16 MinIterations L;
32 MaxIterations L; 64 IterationMultiple L; 128 PeelCount L; 256 PartialCount L;
65536 InitiationIntervalINTEL ! FPGALoopControlsINTEL; 131072 MaxConcurrencyINTEL ! FPGALoopControlsINTEL;
262144 DependencyArrayINTEL ! FPGALoopControlsINTEL; 524288 PipelineEnableINTEL ! FPGALoopControlsINTEL;
1048576 LoopCoalesceINTEL ! FPGALoopControlsINTEL; 2097152 MaxInterleavingINTEL ! FPGALoopControlsINTEL;
4194304 SpeculatedIterationsINTEL ! FPGALoopControlsINTEL; 8388608 NoFusionINTEL ! FPGALoopControlsINTEL;
16777216 LoopCountINTEL ! FPGALoopControlsINTEL;
33554432 MaxReinvocationDelayINTEL ! FPGALoopControlsINTEL
""",
    "MemoryAccess": """
0 None; 1 Volatile; 2 Aligned L; 4 Nontemporal; 8 MakePointerAvailable ! VulkanMemoryModel;
16 MakePointerVisible ! VulkanMemoryModel; 32 NonPrivatePointer ! VulkanMemoryModel;
65536 AliasScopeINTELMask I; 131072 NoAliasINTELMask I
""",
    "MemoryModel": """
0 Simple ! Shader; 1 GLSL450 ! Shader; 2 OpenCL; 3 Vulkan ! VulkanMemoryModel
""",
    "PackedVectorFormat": """
0 PackedVectorFormat4x8Bit
""",
    "SamplerAddressingMode": """
0 None; 1 ClampToEdge; 2 Clamp; 3 Repeat; 4 RepeatMirrored
""",
    "SamplerFilterMode": """
0 Nearest; 1 Linear
""",
    "SelectionControl": """
0 None; 1 Flatten; 2 DontFlatten
""",
    "SourceLanguage": """
0 Unknown; 1 ESSL; 2 GLSL; 3 OpenCL_C; 4 OpenCL_CPP; 5 HLSL; 6 CPP_for_OpenCL; 7 SYCL
""",
    "StorageClass": """
0 UniformConstant; 1 Input; 2 Uniform ! Shader; 3 Output ! Shader; 4 Workgroup; 5 CrossWorkgroup;
6 Private ! Shader VectorComputeINTEL; 7 Function; 8 Generic; 9 PushConstant ! Shader;
10 AtomicCounter ! AtomicStorage; 11 Image; 12 StorageBuffer ! Shader;
5328 CallableDataNV ! RayTracingNV RayTracingKHR;
5329 IncomingCallableDataNV ! RayTracingNV RayTracingKHR; 5338 RayPayloadNV ! RayTracingNV RayTracingKHR;
5339 HitAttributeNV ! RayTracingNV RayTracingKHR; 5342 IncomingRayPayloadNV ! RayTracingNV RayTracingKHR;
5343 ShaderRecordBufferNV ! RayTracingNV RayTracingKHR;
5349 PhysicalStorageBuffer ! PhysicalStorageBufferAddresses;
5385 HitObjectAttributeNV ! ShaderInvocationReorderNV; 5402 TaskPayloadWorkgroupEXT ! MeshShadingEXT;
5605 CodeSectionINTEL ! FunctionPointersINTEL; 5936 DeviceOnlyINTEL ! USMStorageClassesINTEL;
5937 HostOnlyINTEL ! USMStorageClassesINTEL
""",
}

# Those whose numbers are bits.
MASKS = frozenset(
    [
        "FPFastMathMode",
        "FunctionControl",
        "ImageOperands",
        "LoopControl",
        "MemoryAccess",
        "SelectionControl",
    ]
)

OPENCL_STD = """
0 acos I; 1 acosh I; 2 acospi I; 3 asin I; 4 asinh I; 5 asinpi I; 6 atan I; 7 atan2 I I; 8 atanh I;
9 atanpi I; 10 atan2pi I I; 11 cbrt I; 12 ceil I; 13 copysign I I; 14 cos I; 15 cosh I; 16 cospi I;
17 erfc I; 18 erf I; 19 exp I; 20 exp2 I; 21 exp10 I; 22 expm1 I; 23 fabs I; 24 fdim I I; 25 floor I;
26 fma I I I; 27 fmax I I; 28 fmin I I; 29 fmod I I; 30 fract I I; 31 frexp I I; 32 hypot I I; 33 ilogb I;
34 ldexp I I; 35 lgamma I; 36 lgamma_r I I; 37 log I; 38 log2 I; 39 log10 I; 40 log1p I; 41 logb I;
42 mad I I I; 43 maxmag I I; 44 minmag I I; 45 modf I I; 46 nan I; 47 nextafter I I; 48 pow I I;
49 pown I I; 50 powr I I; 51 remainder I I; 52 remquo I I I; 53 rint I; 54 rootn I I; 55 round I;
56 rsqrt I; 57 sin I; 58 sincos I I; 59 sinh I; 60 sinpi I; 61 sqrt I; 62 tan I; 63 tanh I; 64 tanpi I;
65 tgamma I; 66 trunc I; 67 half_cos I; 68 half_divide I I; 69 half_exp I; 70 half_exp2 I;
71 half_exp10 I; 72 half_log I; 73 half_log2 I; 74 half_log10 I; 75 half_powr I I; 76 half_recip I;
77 half_rsqrt I; 78 half_sin I; 79 half_sqrt I; 80 half_tan I; 81 native_cos I; 82 native_divide I I;
83 native_exp I; 84 native_exp2 I; 85 native_exp10 I; 86 native_log I; 87 native_log2 I;
88 native_log10 I; 89 native_powr I I; 90 native_recip I; 91 native_rsqrt I; 92 native_sin I;
93 native_sqrt I; 94 native_tan I; 141 s_abs I; 142 s_abs_diff I I; 143 s_add_sat I I; 144 u_add_sat I I;
145 s_hadd I I; 146 u_hadd I I; 147 s_rhadd I I; 148 u_rhadd I I; 149 s_clamp I I I; 150 u_clamp I I I;
151 clz I; 152 ctz I; 153 s_mad_hi I I I; 154 u_mad_sat I I I; 155 s_mad_sat I I I; 156 s_max I I;
157 u_max I I; 158 s_min I I; 159 u_min I I; 160 s_mul_hi I I; 161 rotate I I; 162 s_sub_sat I I;
163 u_sub_sat I I; 164 u_upsample I I; 165 s_upsample I I; 166 popcount I; 167 s_mad24 I I I;
168 u_mad24 I I I; 169 s_mul24 I I; 170 u_mul24 I I; 201 u_abs I; 202 u_abs_diff I I; 203 u_mul_hi I I;
204 u_mad_hi I I I; 95 fclamp I I I; 96 degrees I; 97 fmax_common I I; 98 fmin_common I I; 99 mix I I I;
100 radians I; 101 step I I; 102 smoothstep I I I; 103 sign I; 104 cross I I; 105 distance I I;
106 length I; 107 normalize I; 108 fast_distance I I; 109 fast_length I; 110 fast_normalize I;
186 bitselect I I I; 187 select I I I; 171 vloadn I I L; 172 vstoren I I I; 173 vload_half I I;
174 vload_halfn I I L; 175 vstore_half I I I; 176 vstore_half_r I I I FPRoundingMode;
177 vstore_halfn I I I; 178 vstore_halfn_r I I I FPRoundingMode; 179 vloada_halfn I I L;
180 vstorea_halfn I I I; 181 vstorea_halfn_r I I I FPRoundingMode; 182 shuffle I I; 183 shuffle2 I I I;
184 printf I I*; 185 prefetch I I
"""
