/** What the server of an agent of another system may do in an exploration. */
import type { EffectInput, EffectOutcome } from '../../../actors/effect-kinds.ts'
import type { RemoteFollowed } from '../../../actors/remote/remote-effects.ts'
import type { OfferedOutcome } from '../world/choice.ts'
import { answers, calls, fails, type ModelSaying } from './sayings.ts'

type Outcome = EffectOutcome<'remote'>

const begins = outcome('has the task', { type: 'begun', task: { id: 'task', contextId: 'context' } })

/** An answer; a question whether a call may be made; a failure where failures are explored. */
export function derivedRemoteSayings(agent: string, failures: boolean): readonly ModelSaying[] {
  return [
    answers(`The answer of ${agent}.`),
    calls({ act: {} }),
    ...(failures ? [fails('REMOTE_FAILED')] : []),
  ]
}

/** `sayings`: how the work of the other agent may go on. A reply with a call asks whether the first one may be made. */
export function remoteOutcomes(
  input: EffectInput<'remote'>,
  sayings: readonly ModelSaying[],
): readonly OfferedOutcome[] {
  switch (input.operation) {
    case 'send':
    case 'answer':
      return [begins]
    case 'find':
      return [begins, outcome('has no such message', { type: 'missing' })]
    case 'cancel':
      return [outcome('cancels the task', { type: 'cancelled' })]
    case 'follow':
      return offered(input, sayings).map((saying) => outcome(saying.name, followed(saying)))
  }
}

/** A question is asked once: a server that asks for ever would keep the run from its end. */
function offered(
  { answered, agent }: Extract<EffectInput<'remote'>, { operation: 'follow' }>,
  sayings: readonly ModelSaying[],
): readonly ModelSaying[] {
  if (answered === undefined) return sayings
  const last = sayings.filter((saying) => saying.says === 'error' || saying.calls.length === 0)
  return last.length > 0 ? last : [answers(`The answer of ${agent}.`)]
}

function followed(saying: ModelSaying): RemoteFollowed {
  if (saying.says === 'error') {
    const { code, message } = saying.error
    return { type: 'ended', code, message }
  }
  const [call] = saying.calls.flatMap((named) => Object.entries(named))
  if (call === undefined) return { type: 'answered', text: saying.text }
  const [toolName, args] = call
  return { type: 'asks', question: { id: 'question', type: 'approval', toolName, args, ref: 'call' } }
}

function outcome(name: string, value: Outcome): OfferedOutcome {
  return { name, settlement: { value } }
}
