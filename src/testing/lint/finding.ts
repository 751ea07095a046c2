/** The findings of `lint`, by their codes: each code has one severity. */
import type { ExploreOptions } from '../explore/options.ts'
import { never, sometimes } from '../explore/rules/user-rules.ts'

/**
 * `error`: a part of the configuration can never do its work. `warning`: an option or an ending cannot occur as it is
 * written. `info`: a fact about runs that is worth knowing, and may be intended.
 */
export type Severity = 'error' | 'warning' | 'info'

export const severities = {
  'run-refused': 'error',
  'subagent-too-deep': 'error',
  'tool-outside-groups': 'error',
  'tool-in-unreachable-state': 'error',
  'approval-without-handle': 'error',
  'too-many-model-calls': 'error',
  'handoff-beyond-cap': 'warning',
  'task-type-without-pattern': 'warning',
  'pattern-never-valid': 'warning',
  'no-step-after-calls': 'warning',
  'no-step-for-answer': 'warning',
  'feedback-never-read': 'warning',
  'feedback-without-continuation': 'warning',
  'scorer-always-passes': 'warning',
  'option-without-effect': 'warning',
  'cap-shadowed': 'warning',
  'supervisor-without-agents': 'warning',
  'budget-too-small': 'warning',
  'unused-exception': 'warning',
  'calls-end-exhausted': 'info',
  'cap-inherited': 'info',
  'repeats-within-one-step': 'info',
  'handoff-circle': 'info',
  'background-beyond-window': 'info',
  'budget-not-in-force': 'info',
  'approval-without-deadline': 'info',
  'interruption-asks': 'info',
  'calls-without-budget': 'info',
  'depends-on-run': 'info',
} as const satisfies Readonly<Record<string, Severity>>

/** Stable: branch on it, not on messages. */
export type FindingCode = keyof typeof severities

/** A fault, or a likely one, that `lint` has found in a tree of agents. */
export interface Finding {
  readonly code: FindingCode
  readonly severity: Severity
  /** The place in the tree: the id of the root, then keys, such as `lead.agents.writer.tools.search`. */
  readonly path: string
  /** The problem, and a way to mend it. */
  readonly message: string
  /**
   * Of a finding that runs show: options with which `explore` confirms it. The report has no violation when the finding is
   * right; one where it is wrong, for example because a function of the run makes other tools.
   */
  readonly explore?: Confirmation
}

// Options of `explore` that confirm a finding: its rule holds in every order of the runs.

/** Alphabets are left to the reader of the finding: those that follow from the definition do for most agents. */
export type Confirmation = Pick<ExploreOptions, 'people' | 'rules'>

/** A tool of an agent that is never offered. */
export function neverReturns(agent: string, tool: string): Confirmation {
  const rule = never((run) => run.has('tool-result', { agent, tool }))
  return { rules: { [`no call of ${tool} of ${agent} returns`]: rule } }
}

/** Calls for which the run waits, for as long as no person answers. */
export function asksPerson(
  agent: string,
  tools: readonly string[],
  question: 'tool-call-approval' | 'tool-call-suspended',
): Confirmation {
  const waitsFor = (tool: string) =>
    sometimes((run) => run.has(question, { agent, tool }) && run.has('suspended'))
  return {
    people: ['never'],
    rules: Object.fromEntries(
      tools.map((tool) => [`the run waits for a person: ${tool} of ${agent}`, waitsFor(tool)]),
    ),
  }
}

export function finding(code: FindingCode, path: string, message: string, explore?: Confirmation): Finding {
  return { code, severity: severities[code], path, message, ...(explore === undefined ? {} : { explore }) }
}
