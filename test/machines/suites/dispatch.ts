import type { EffectInput } from '../../../src/actors/effects/effect-kinds.ts'
import { dispatchMachine } from '../../../src/machines/dispatch.ts'
import {
  childOutcomes,
  dynamic,
  heldEvents,
  hookOutcomes,
  inARow,
  longInput,
  longModel,
  longReplies,
  loopInput,
  memoryOutcomes,
  processed,
  rememberingInput,
  replies,
  rowReplies,
  sayEvents,
  screenedReplies,
  spokenTo,
} from './loop-outcomes.ts'
import { choice, nothing, onlyAgent, selectionKey, takes, undecidedOutcomes } from './selection-outcomes.ts'
import { cancel, spent } from './support.ts'
import { suiteOf } from './suite.ts'

const observed = { onStepFinish: 'agent', onFinish: 'agent' } as const

export const dispatchSuite = suiteOf(dispatchMachine(), {
  inputs: {
    'is spoken to': spokenTo(loopInput({ toolset: choice, hooks: observed })),
    plain: loopInput({ toolset: choice }),
    'one agent alone': loopInput({ toolset: onlyAgent, onExhausted: 'stop' }),
    'one agent alone, observed': loopInput({ toolset: onlyAgent, hooks: observed }),
    'nobody to choose': loopInput({ toolset: nothing }),
    'stops when exhausted': loopInput({ toolset: choice, onExhausted: 'stop', hooks: observed }),
    'with processors': loopInput({ ...processed, toolset: choice }),
    'with processors, hook errors ignored': loopInput({
      ...processed,
      toolset: choice,
      hooks: { ...processed.hooks, ...observed },
      hookErrors: 'ignore',
    }),
    'models in a row': loopInput({ ...inARow, toolset: choice }),
    'with a long conversation': longInput({ toolset: choice }),
    'made for the run': loopInput(dynamic),
    'made for the run, with processors': loopInput({ ...dynamic, ...processed }),
    'made for the run, remembers': rememberingInput(dynamic),
    remembers: rememberingInput({ toolset: onlyAgent }),
    'remembers, observed': rememberingInput({ toolset: onlyAgent, hooks: observed }),
  },
  outcomes: {
    ...childOutcomes,
    decision: [takes('agent'), takes('tool'), ...undecidedOutcomes],
    model: (asked: EffectInput<'model'>) =>
      asked.model === longModel
        ? longReplies()
        : asked.outputProcessors === undefined
          ? (rowReplies(asked) ?? replies([]))
          : screenedReplies,
    memory: memoryOutcomes,
    hook: hookOutcomes,
  },
  events: (snapshot) => [cancel, spent, ...heldEvents(snapshot), ...sayEvents(snapshot)],
  stateKey: selectionKey,
})
