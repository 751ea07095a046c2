/** The names of the kinds of effects, and of the functions of the user's that are called as hooks. */

export type EffectKind =
  | 'model'
  | 'tool'
  | 'hook'
  | 'scorer'
  | 'signal'
  | 'memory'
  | 'agent'
  | 'remote'
  | 'config'
  | 'timer'
  | 'compaction'
  /** An effect that an adapter brings; its input has its name. */
  | 'custom'

export type HookName =
  | 'onDelegationStart'
  | 'messageFilter'
  | 'onDelegationComplete'
  | 'onIterationComplete'
  | 'stopWhen'
  | 'onStepFinish'
  | 'onFinish'
  | 'onComplete'
  | 'requireApproval'
  | 'requireDelegationApproval'
  | 'validateArguments'
  | 'validateObject'
  | 'configure'
  | 'handoffFilter'
  | 'processInput'
  | 'processOutput'
