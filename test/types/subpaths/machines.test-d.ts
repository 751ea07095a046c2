/** What of the machines under plain XState must, and must not, compile. */
import { createAgent } from 'troupe'
import {
  inputOf,
  pendingEffects,
  reactMachine,
  reportEvent,
  settleEffect,
  type AgentInput,
  type AgentReport,
} from 'troupe/machines'
import { scriptedModel } from 'troupe/testing'
import { createActor } from 'xstate'
import { expectType } from '../expect-type.ts'

const poet = createAgent({ id: 'poet', instructions: 'Write.', model: scriptedModel([]) })
const input = inputOf(poet, 'Snow', { maxSteps: 2 })
expectType<AgentInput>()(input)
// @ts-expect-error -- a run has no such option
inputOf(poet, 'Snow', { maxStep: 2 })
// @ts-expect-error -- a definition is no agent
inputOf({ id: 'poet' }, 'Snow')

const actor = createActor(reactMachine(), { input })
expectType<AgentReport | undefined>()(actor.getSnapshot().output)
// @ts-expect-error -- an empty input
createActor(reactMachine(), { input: {} })

for (const effect of pendingEffects(actor)) {
  if (effect.kind === 'agent') expectType<string>()(effect.input.task)
  if (effect.kind === 'timer') expectType<number>()(effect.input.delay)
  reportEvent(actor, { value: 1 })
}
settleEffect(actor, 'model', { value: { text: 'Snow.' } })
// @ts-expect-error -- an error as data has a code
settleEffect(actor, 'model', { error: { message: 'no' } })
