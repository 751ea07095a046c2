import { customMachine } from '../../../src/machines/custom.ts'
import { Toolset } from '../../../src/actors/toolset/toolset.ts'
import {
  hookOutcomes,
  loopInput,
  loopKey,
  memoryOutcomes,
  processed,
  rememberingInput,
  sayEvents,
  spokenTo,
} from './loop-outcomes.ts'
import { cancel, fails, spent } from './support.ts'
import { suiteOf } from './suite.ts'

const quoter = { id: 'quoter', toolset: Toolset.of({}), model: 'chart/quoter', instructions: '' } as const

export const customSuite = suiteOf(customMachine(), {
  inputs: {
    'is spoken to': spokenTo(loopInput({ ...quoter, hooks: { onFinish: 'agent' } })),
    plain: loopInput(quoter),
    observed: loopInput({ ...quoter, hooks: { onFinish: 'agent' } }),
    'made for the run': loopInput({ ...quoter, dynamic: ['instructions'] }),
    remembers: rememberingInput(quoter),
    'with processors': loopInput({ ...quoter, ...processed }),
    'with processors, hook errors ignored': loopInput({ ...quoter, ...processed, hookErrors: 'ignore' }),
  },
  outcomes: {
    chart: [
      { name: 'answers', value: 'The price is 42.' },
      { name: 'answers with fields', value: { text: 'The price is 42.', price: 42 } },
      { name: 'answers with data', value: { price: 42 } },
      fails,
    ],
    hook: hookOutcomes,
    memory: memoryOutcomes,
  },
  events: (snapshot) => [cancel, spent, ...sayEvents(snapshot)],
  stateKey: loopKey,
})
