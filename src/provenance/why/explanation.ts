/** The explanation of an answer: its derivation, back to the question, with the options of every choice on the way. */

/** The kind of a step on the way back. */
export type ReasonKind =
  | 'answer'
  | 'synthesis'
  | 'completion'
  | 'fan-out'
  | 'goal'
  | 'plan'
  | 'plan-step'
  | 'step-result'
  | 'iteration'
  | 'observation'
  | 'routing'
  | 'choice'
  | 'handoff'
  | 'feedback'
  | 'critique'
  | 'passage'
  | 'score'
  | 'thought'
  | 'question'
  | 'message'
  | 'text'

/** A choice, and its options. */
export interface Choice {
  /** Its subject: `task-type`, `pattern`, `primitive`, `handoff`, `action`, `plan`, or the approval of a tool. */
  readonly subject: string
  readonly options: readonly string[]
  /** For an action none, one or several of the options: without any, the model answered. */
  readonly chosen: readonly string[]
  /** Its ground: `model`, `only candidate`, `fallback`, `person`, or one that the request states. */
  readonly criterion: string
  /** The reason that the chooser gave. */
  readonly rationale?: string
  /** Why the model's choice was not available. */
  readonly fallback?: string
}

/** A step on the way from an answer back to the question. */
export interface Reason {
  readonly uri: string
  readonly kind: ReasonKind
  /** Its text; empty where it has none. */
  readonly text: string
  /** Of a completion, an observation or a step of a plan: its outcome. */
  readonly outcome?: string
  readonly choices: readonly Choice[]
  /** The URIs of the entities that it was derived from. */
  readonly from: readonly string[]
  /** The URIs of the entities that it had to do without. */
  readonly missing: readonly string[]
  /** Of a completion: the id of its agent; of a handoff: the id of the agent that handed the conversation on. */
  readonly agent?: string
  /** Of a handoff: the id of the agent that went on. */
  readonly successor?: string
  /** Of a goal or a step of a plan: the groups of tools that were chosen for it. */
  readonly toolGroups?: readonly string[]
  /** Of a completion: the explanation of the subagent, unless it never ran. */
  readonly delegation?: Explanation
}

/** The explanation of an agent's result; after handoffs that of the last agent, with the work of those before it. */
export interface Explanation {
  /** The URI of the agent's session. */
  readonly session: string
  /** The agent's id. */
  readonly agent: string
  readonly question: string
  /** `undefined`: it has not ended. */
  readonly outcome: string | undefined
  /** `undefined`: there is none. */
  readonly answer: string | undefined
  /** From the answer, or the last there is, back to the question: last first. */
  readonly reasons: readonly Reason[]
  /** Of a subagent that is explained by itself: the explanation of its question, up to the question of the run. */
  readonly askedBy?: Explanation
}
