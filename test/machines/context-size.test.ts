/**
 * `assign` copies a context with `Object.assign({}, context, …)`, and from the twentieth field on V8 keeps such a
 * copy as a hash table, which made every assign some seventy times as slow (bench/README.md).
 */
import { initialTransition, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate'
import { expect, test } from 'vitest'
import { AppendLog } from '../../src/actors/values/append-log.ts'
import { completionMachine } from '../../src/machines/completion.ts'
import { delegationMachine } from '../../src/machines/delegation.ts'
import { fanOutMachine } from '../../src/machines/fan-out.ts'
import { planThenExecuteMachine } from '../../src/machines/plan-then-execute.ts'
import { reactMachine } from '../../src/machines/react.ts'
import { supervisorMachine } from '../../src/machines/supervisor.ts'
import { toolCallMachine } from '../../src/machines/tool-call.ts'
import { loopInput } from './suites/loop-outcomes.ts'
import { profile, toolset } from './suites/support.ts'

const messages = AppendLog.of()
const completion = {
  scorers: [],
  scope: 'agent',
  strategy: 'all',
  parallel: true,
  continueOnFail: true,
  feedbackToLLM: true,
  timeout: 1,
}

test.each<[string, AnyStateMachine, object]>([
  ['react', reactMachine(), loopInput()],
  ['supervisor', supervisorMachine(), loopInput()],
  ['plan-then-execute', planThenExecuteMachine(), loopInput()],
  ['fan-out', fanOutMachine(), loopInput()],
  ['tool-call', toolCallMachine(), { toolset, call: { id: '', name: 'plain', args: {} } }],
  ['delegation', delegationMachine(), { profile, args: { prompt: 'Go.' }, conversation: messages }],
  ['completion', completionMachine(), { completion, messages }],
])('the context of %s has at most 19 fields', (_name, machine, input) => {
  const [{ context }] = initialTransition(machine, input as never) as [AnyMachineSnapshot, unknown]
  expect(Object.keys(context as object).length).toBeLessThanOrEqual(19)
})
