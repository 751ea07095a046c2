import type { EffectInput } from '../../../src/actors/effects/effect-kinds.ts'
import { Toolset } from '../../../src/actors/toolset/toolset.ts'
import { debateMachine } from '../../../src/machines/debate.ts'
import {
  briefReplies,
  childOutcomes,
  delegated,
  dynamic,
  heldEvents,
  hookOutcomes,
  inARow,
  longInput,
  longModel,
  longReplies,
  loopInput,
  loopKey,
  memoryOutcomes,
  processed,
  rememberingInput,
  replies,
  rowReplies,
  sayEvents,
  screenedReplies,
  shaped,
  spentKey,
  spokenTo,
} from './loop-outcomes.ts'
import { cancel, spent } from './support.ts'
import { suiteOf } from './suite.ts'

const agents = Toolset.of(
  {},
  { optimist: { id: 'optimist', description: 'Hopes.' }, sceptic: { id: 'sceptic', description: 'Doubts.' } },
)
const two = { toolset: agents, toolCallConcurrency: 2 }
/** Its model has less to say, and there is nothing to criticise: what comes after matters. */
const brief = {
  ...two,
  model: 'scripted/brief',
  caps: { quorum: 1 },
  toolset: Toolset.of({}, { optimist: { id: 'optimist', description: 'Hopes.' } }),
}
const once = { ...brief, maxSteps: 2, onExhausted: 'stop' } as const

export const debateSuite = suiteOf(debateMachine(), {
  inputs: {
    'is spoken to': spokenTo(loopInput({ ...two, maxSteps: 3, hooks: { onFinish: 'agent' } })),
    plain: loopInput({ ...two, maxSteps: 3 }),
    'one after the other': loopInput({
      ...two,
      toolCallConcurrency: 1,
      maxSteps: 3,
      caps: { rounds: 1, quorum: 2 },
    }),
    'no criticism': loopInput({ ...brief, model: 'scripted/scripted', maxSteps: 2 }),
    'no step left for criticism, or for the answer': loopInput({
      ...two,
      maxSteps: 1,
      toolCallConcurrency: 1,
      onExhausted: 'stop',
    }),
    'no criticism, asked': loopInput({
      ...brief,
      model: 'scripted/scripted',
      maxSteps: 3,
      hooks: { stopWhen: 'agent' },
    }),
    'with hooks, hook errors ignored': loopInput({
      ...once,
      hooks: { stopWhen: 'agent', onStepFinish: 'agent', onFinish: 'agent' },
      hookErrors: 'ignore',
    }),
    'with observers': loopInput({
      ...brief,
      model: 'scripted/scripted',
      maxSteps: 2,
      hooks: { onStepFinish: 'agent', onFinish: 'agent' },
    }),
    'answers with an object': loopInput({ ...once, ...shaped }),
    'answers with an object, observed': loopInput({
      ...once,
      ...shaped,
      hooks: { ...shaped.hooks, onStepFinish: 'agent' },
    }),
    'with processors': loopInput({ ...once, ...processed, onExhausted: 'finalTurn' }),
    'with processors, observed, hook errors ignored': loopInput({
      ...once,
      ...processed,
      hooks: { ...processed.hooks, onStepFinish: 'agent', onFinish: 'agent' },
      hookErrors: 'ignore',
    }),
    'with processors, hook errors ignored': loopInput({
      ...once,
      ...processed,
      hookErrors: 'ignore',
      onExhausted: 'finalTurn',
      maxSteps: 1,
    }),
    'models in a row': loopInput({ ...once, ...inARow, onExhausted: 'finalTurn' }),
    'with a long conversation': longInput({ toolset: brief.toolset, caps: brief.caps, maxSteps: 2 }),
    'made for the run': loopInput({ ...once, ...dynamic }),
    'made for the run, with processors': loopInput({ ...once, ...dynamic, ...processed }),
    'made for the run, remembers': rememberingInput({ ...once, ...dynamic }),
    remembers: rememberingInput(once),
    'remembers, observed, keeps a cut answer': rememberingInput({
      keepPartial: 'thread',
      ...once,
      hooks: { onFinish: 'agent' },
    }),
  },
  outcomes: {
    ...childOutcomes,
    delegation: [...childOutcomes.delegation, delegated('exhausted')],
    decision: [],
    model: (asked: EffectInput<'model'>) =>
      asked.outputProcessors !== undefined
        ? screenedReplies
        : (rowReplies(asked) ??
          (asked.model === longModel
            ? longReplies()
            : asked.model === brief.model
              ? briefReplies([])
              : replies([]))),
    memory: memoryOutcomes,
    hook: hookOutcomes,
  },
  events: (snapshot) => [cancel, spent, ...heldEvents(snapshot), ...sayEvents(snapshot)],
  stateKey: (snapshot) => spentKey(snapshot) ?? JSON.stringify([loopKey(snapshot), snapshot.context.work]),
})
