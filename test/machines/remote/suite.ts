import type { Outcome } from 'troupe/testing'
import { Toolset } from '../../../src/actors/toolset/toolset.ts'
import type { EffectInput, EffectOutcome } from '../../../src/actors/effects/effect-kinds.ts'
import { remoteMachine } from '../../../src/machines/remote.ts'
import {
  hookOutcomes,
  loopInput,
  loopKey,
  memoryOutcomes,
  processed,
  rememberingInput,
  sayEvents,
  shaped,
  spokenTo,
} from '../suites/loop-outcomes.ts'
import { cancel, fails, failsForNow, fires, spent } from '../suites/support.ts'
import { suiteOf } from '../suites/suite.ts'

type Answers = readonly Outcome<EffectOutcome<'remote'>>[]

const task = { id: 't1', contextId: 'c1' }

const answers: Answers[number] = { name: 'answers', value: { type: 'answered', text: 'The answer.' } }
const answersWithData: Answers[number] = {
  name: 'answers with data',
  value: { type: 'answered', text: 'Here.', object: { a: 1 } },
}
const begins: Answers[number] = { name: 'begins', value: { type: 'begun', task } }

const asks = (type: 'approval' | 'suspension', id: string): Answers[number] => ({
  name: `asks for ${type}`,
  value: {
    type: 'asks',
    question: {
      id,
      type,
      toolName: 'refund',
      args: { euros: 20 },
      ...(type === 'suspension' ? { payload: 'Why?' } : {}),
    },
  },
})

/** The outcomes that matter where the task itself does not. */
const brief: Readonly<Record<EffectInput<'remote'>['operation'], Answers>> = {
  send: [begins, fails],
  answer: [begins],
  find: [{ name: 'misses', value: { type: 'missing' } }],
  follow: [answers, answersWithData],
  cancel: [{ name: 'is cancelled', value: { type: 'cancelled' } }],
}

function outcomes(asked: EffectInput<'remote'>): Answers {
  if (asked.agent === briefly.id) return brief[asked.operation]
  switch (asked.operation) {
    case 'send':
    case 'answer':
      return [
        begins,
        answers,
        { name: 'is interrupted', value: { type: 'interrupted' } },
        { name: 'may have been sent before a restore', value: { type: 'interrupted', restored: true } },
        failsForNow,
        fails,
      ]
    case 'find':
      return [begins, { name: 'misses', value: { type: 'missing' } }, failsForNow, fails]
    case 'follow':
      return [
        answers,
        answersWithData,
        ...(asked.answered === undefined ? [asks('approval', 'q1'), asks('suspension', 'q1')] : []),
        { name: 'works on', value: { type: 'working' } },
        { name: 'ends', value: { type: 'ended', code: 'REMOTE_FAILED', message: 'It failed.' } },
        failsForNow,
        fails,
      ]
    case 'cancel':
      return [{ name: 'is cancelled', value: { type: 'cancelled' } }, fails]
  }
}

const remote = { toolset: Toolset.of({}), model: 'a2a/partner', instructions: '' } as const

const briefly = { ...remote, id: 'brief' } as const

export const remoteSuite = suiteOf(remoteMachine(), {
  inputs: {
    'is spoken to': spokenTo(loopInput({ ...briefly, hooks: { onFinish: 'agent' } })),
    plain: loopInput(remote),
    observed: loopInput({ ...briefly, hooks: { onFinish: 'agent' } }),
    'answers with an object': loopInput({ ...briefly, ...shaped }),
    'with processors': loopInput({ ...briefly, ...processed }),
    'made for the run': loopInput({ ...briefly, dynamic: ['instructions'] }),
    remembers: rememberingInput(briefly),
    'with processors, hook errors ignored': loopInput({ ...briefly, ...processed, hookErrors: 'ignore' }),
  },
  outcomes: {
    remote: outcomes,
    signal: [
      { name: 'yes', value: { approved: true, data: 'Because.', by: 'ann', note: 'Fine.' } },
      { name: 'gives the answer', value: { approved: true, data: { result: 'Paid.' } } },
      { name: 'no', value: { approved: false, reason: 'Too much.' } },
    ],
    hook: hookOutcomes,
    memory: memoryOutcomes,
    timer: [fires],
  },
  events: (snapshot) => [cancel, spent, ...sayEvents(snapshot)],
  stateKey: (snapshot) => JSON.stringify([loopKey(snapshot), snapshot.context.work]),
})
