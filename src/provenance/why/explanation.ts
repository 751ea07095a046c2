/** Why there is an answer: what it came of, back to the question, with what else could have been chosen on the way. */

/** What a step on the way back is. */
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
  | 'score'
  | 'thought'
  | 'question'
  | 'text'

/** A choice, and what was open. */
export interface Choice {
  /** What was decided: `task-type`, `pattern`, `primitive`, `handoff`, `action`, `plan`, or the approval of a tool. */
  readonly subject: string
  readonly options: readonly string[]
  /** For an action none, one or several of the options: without any, the model answered. */
  readonly chosen: readonly string[]
  /** What settled it: `model`, `only candidate`, `fallback`, `person`, or what the request said. */
  readonly criterion: string
  /** The words of who chose. */
  readonly rationale?: string
  /** Why the model's choice could not be had. */
  readonly fallback?: string
}

/** A step on the way from an answer back to the question. */
export interface Reason {
  readonly uri: string
  readonly kind: ReasonKind
  /** What it says, as far as it says something. */
  readonly text: string
  /** Of a completion, an observation or a step of a plan: what became of it. */
  readonly outcome?: string
  readonly choices: readonly Choice[]
  /** The URIs of what it was derived from. */
  readonly from: readonly string[]
  /** URIs of what it had to do without. */
  readonly missing: readonly string[]
  /** Of a completion: whose it is; of a handoff: who let go of the conversation. By the id of the agent. */
  readonly agent?: string
  /** Of a handoff: the id of the agent that went on. */
  readonly successor?: string
  /** Of a goal or a step of a plan: the groups of tools that were chosen for it. */
  readonly toolGroups?: readonly string[]
  /** Of a completion: how the subagent came to it, unless it never ran. */
  readonly delegation?: Explanation
}

/** How an agent came to what it came to; after handoffs the last one, with what those before it did. */
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
  /** Of a subagent that is asked about by itself: how it came to be asked, up to the question of the run. */
  readonly askedBy?: Explanation
}
