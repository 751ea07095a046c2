/** What the states of the machines, and the scores of an answer, mean in words. */
import type { ScorerResult } from 'troupe'

/** Of an agent, by its state. */
const agentDoes: Readonly<Record<string, string>> = {
  preparing: 'gets ready',
  thinking: 'thinks',
  acting: 'waits for what it asked for',
  reviewing: 'looks at its answer',
  scoring: 'has its answer scored',
  deciding: 'decides whether it is done',
  finalTurn: 'gives its last answer',
}

/** Of other actors, by their kind and state. */
const othersDo: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  call: { validating: 'is checked', executing: 'is at work', retrying: 'is tried again' },
  completion: { scoring: 'is under way' },
}

const names: Readonly<Record<string, string>> = { call: 'a tool', completion: 'the scoring' }

/** Of a delegation, by its outcome: what the subagent did. */
const ended: Readonly<Record<string, string>> = {
  succeeded: 'has answered',
  bailed: 'has given the final answer',
  failed: 'has failed',
  timedOut: 'took too long',
  exhausted: 'has stopped without an answer',
  cancelled: 'was cancelled',
}

/** `kind`: the id of the actor up to its colon, such as `call`. */
export function stateInWords(kind: string, state: string): string {
  const words = othersDo[kind] ?? agentDoes
  return words[state] ?? spaced(state)
}

/** The name of an actor that has no name of its own. */
export function nameInWords(kind: string): string {
  return names[kind] ?? kind
}

export function endInWords(outcome: string): string {
  return ended[outcome] ?? spaced(outcome)
}

export function scores(results: readonly ScorerResult[]): string {
  return results
    .map(({ id, score, passed, reason, error }) => {
      const value = score === undefined ? `no score: ${error?.message}` : score.toFixed(2)
      return `${id} ${value}${passed || reason === undefined ? '' : ` (${reason})`}`
    })
    .join(', ')
}

/** `awaitingApproval`: awaiting approval. */
function spaced(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
