import type { AnyMachineSnapshot } from 'xstate'
import { defaultKey } from '../../../src/testing/graph/test-model.ts'
import { toolCallMachine, type ToolCallInput } from '../../../src/machines/tool-call.ts'
import { cancel, cancelForBail, fails, failsForNow, fires, toolset, spent, hooksOf } from './support.ts'
import { suiteOf } from './suite.ts'

function input(
  name: string,
  more: Partial<ToolCallInput> & { args?: ToolCallInput['call']['args'] } = {},
): ToolCallInput {
  const { args = { q: 'x' }, ...rest } = more
  return {
    agent: 'lead',
    callId: 'lead/call:1.1',
    call: { id: 'c1', name, args },
    toolset,
    retries: 1,
    hookErrors: 'fail',
    hookTimeout: 60_000,
    ...rest,
  }
}

const picture = { type: 'file', mediaType: 'image/png', name: 'a.png', ref: '0'.repeat(64) } as const

const hookOutcomes = hooksOf({
  validateArguments: [
    { name: 'valid', value: { problem: null } },
    { name: 'invalid', value: { problem: 'q is missing' } },
    fails,
  ],
  requireApproval: [{ name: 'needed', value: true }, { name: 'not needed', value: false }, fails],
})

export const toolCallSuite = suiteOf(toolCallMachine(), {
  inputs: {
    plain: input('plain'),
    'needs approval': input('approved'),
    'asks a predicate': input('predicated'),
    'asks a predicate, hook errors ignored': input('predicated', { hookErrors: 'ignore' }),
    'approved for the run': input('approved', { standing: { approved: true } }),
    'denied for the run': input('predicated', { standing: { approved: false, reason: 'never' } }),
    'needs approval, asynchronous schema': input('approvedLater'),
    'approval with a deadline': input('deadlined'),
    'asks when interrupted': input('asked'),
    'fails when interrupted': input('failing'),
    'asks when interrupted too often': input('mortal'),
    'asynchronous schema': input('later'),
    unknown: input('nonsense'),
    'invalid arguments': input('plain', { args: { q: 1 } }),
  },
  outcomes: {
    tool: [
      { name: 'returns', value: { type: 'returned', value: 'found' } },
      { name: 'returns a file', value: { type: 'returned', value: { drawn: picture }, files: [picture] } },
      { name: 'is interrupted', value: { type: 'interrupted' } },
      { name: 'may have been made before a restore', value: { type: 'interrupted', restored: true } },
      { name: 'may not have begun', value: { type: 'interrupted', isUncertain: true } },
      { name: 'times out', error: { name: 'TimeoutError', code: 'TOOL_TIMEOUT', message: 'too late' } },
      { name: 'suspends', value: { type: 'suspended', payload: { why: 'ask' } } },
      { name: 'suspends by name', value: { type: 'suspended', payload: { why: 'ask' }, name: 'why' } },
      { name: 'sleeps', value: { type: 'suspended', payload: { why: 'ask' }, delay: 5 } },
      fails,
      failsForNow,
    ],
    hook: hookOutcomes,
    signal: [
      { name: 'yes', value: { approved: true, data: 1 } },
      { name: 'gives the result', value: { approved: true, data: { result: 'found' } } },
      { name: 'no', value: { approved: false, reason: 'not today' } },
      { name: 'yes, with other arguments', value: { approved: true, args: { q: 'y' }, by: 'ann' } },
      { name: 'yes, with wrong arguments', value: { approved: true, args: { q: 1 } } },
    ],
    timer: [fires],
  },
  events: [cancel, spent, cancelForBail],
  /** A call may be suspended any number of times: how often makes no difference, and neither does who ended it. */
  stateKey: (snapshot, live) => {
    const { answers, asked, ...own } = snapshot.context
    const context = { ...own, payload: asked.payload, isAnswered: answers.length > 0 }
    return defaultKey({ ...snapshot, context } as object as AnyMachineSnapshot, live)
  },
})
