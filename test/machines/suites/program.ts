import { programMachine } from '../../../src/machines/program.ts'
import type { LegInput, LegOutcome } from '../../../src/machines/program/leg.ts'
import {
  childOutcomes,
  heldEvents,
  hookOutcomes,
  loopInput,
  loopKey,
  memoryOutcomes,
  processed,
  rememberingInput,
  sayEvents,
  spokenTo,
} from './loop-outcomes.ts'
import { cancel, fails, spent, toolset } from './support.ts'
import { suiteOf } from './suite.ts'

const programs = { id: 'code', toolset, model: 'code/code', instructions: '' } as const

const interpreter = 'quickjs'
const error = { name: 'CodeError', code: 'CODE_FAILED', message: 'TypeError: x' }

function leg(name: string, value: LegOutcome) {
  return { name, value }
}

const calls = leg('calls', {
  interpreter,
  state: 'calls',
  calls: [
    { name: 'plain', args: { q: 'a' } },
    { name: 'plain', args: { q: 'b' } },
  ],
})

const ends = [
  leg('is done', { interpreter, state: 'done', text: '42' }),
  leg('is out of fuel', { interpreter, state: 'outOfFuel', error: { ...error, code: 'CODE_OUT_OF_FUEL' } }),
  leg('fails', { interpreter, state: 'failed', error }),
  { ...fails, name: 'breaks' },
]

/** One leg calls, or there would be no end of paths. */
function legsOf({ legs }: LegInput) {
  return legs.length === 0 ? [calls, ...ends] : ends
}

export const programSuite = suiteOf(programMachine(), {
  inputs: {
    'is spoken to': spokenTo(loopInput({ ...programs, hooks: { onFinish: 'agent' } })),
    plain: loopInput(programs),
    'one at a time': loopInput({ ...programs, toolCallConcurrency: 1 }),
    observed: loopInput({ ...programs, hooks: { onFinish: 'agent' } }),
    'made for the run': loopInput({ ...programs, dynamic: ['tools'] }),
    remembers: rememberingInput(programs),
    'with processors': loopInput({ ...programs, ...processed }),
    'with processors, hook errors ignored': loopInput({ ...programs, ...processed, hookErrors: 'ignore' }),
  },
  outcomes: { ...childOutcomes, leg: legsOf, hook: hookOutcomes, memory: memoryOutcomes },
  events: (snapshot) => [cancel, spent, ...heldEvents(snapshot), ...sayEvents(snapshot)],
  stateKey: loopKey,
})
