/**
 * Types that the types of `troupe/machines` are made of. They are exported so that the compiler can name them in declarations of a user's own
 * package; nobody fills them in.
 */
export type { AppendLog, Storage as AppendLogStorage } from '../actors/values/append-log.ts'
export type { SparseMap } from '../actors/values/sparse.ts'
export type { AgentProfile, AgentRequest, HandedOff } from '../machines/contract/agent.ts'
export type {
  Handoff as HandoffStep,
  HandoffChain,
  HandoffShape,
} from '../machines/contract/handoff-chain.ts'
export type { FallbackProfile } from '../machines/contract/model-row.ts'
export type { CapsProfile, ClearedPart, ContextEditingProfile } from '../machines/contract/profile.ts'
export type { AgentOutput } from '../machines/contract/records.ts'
export type { EffectInput } from '../actors/effects/effect-kinds.ts'
export type { HookTable } from '../machines/contract/profile.ts'
export type { AgentParts as AgentOutputParts } from '../machines/contract/records.ts'
export type { Inputs as InputsOfEffects } from './effects.ts'
