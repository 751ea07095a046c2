/** The kinds of effects that are performed; timers and signals are awaited. */
import type { EffectKind } from '../../../actors/effects/effect-names.ts'

export type PerformedKind = Exclude<EffectKind, 'signal' | 'timer'>

/** The codes of errors without a code of their own, by kind of effect. */
export const errorCodes: Readonly<Record<PerformedKind, string>> = {
  model: 'MODEL_FAILED',
  tool: 'TOOL_FAILED',
  hook: 'HOOK_FAILED',
  scorer: 'SCORER_FAILED',
  memory: 'MEMORY_FAILED',
  config: 'CONFIG_FAILED',
  agent: 'AGENT_FAILED',
  remote: 'REMOTE_FAILED',
  compaction: 'COMPACTION_FAILED',
  custom: 'EFFECT_FAILED',
}
