/** Every machine of src/machines is held to what its types do not say, and to the names of its states. */
import { parseSync, Visitor, type CallExpression } from 'oxc-parser'
import { expect, test } from 'vitest'
import { allMachines, machinesFolder } from '../scripts/machines.ts'
import { readSources } from './support/imports.ts'
import { findingsIn, type MachineParts, type StateConfig } from './support/machine-config.ts'

interface States {
  readonly states: string
  readonly finals: string
}

const design: Readonly<Record<string, States>> = {
  'tool-call': {
    states: 'validating awaitingApproval executing suspended retrying',
    finals: 'succeeded failed denied cancelled',
  },
  delegation: {
    states: 'authorising working reviewing',
    finals: 'succeeded bailed rejected failed timedOut exhausted cancelled',
  },
  remote: {
    states: 'preparing opening sending following asking concluding withdrawing expiring cancelling finishing',
    finals: 'completed exhausted tripped failed cancelled',
  },
  custom: {
    states: 'preparing opening working expiring cancelling finishing',
    finals: 'completed exhausted tripped failed cancelled',
  },
  program: {
    states: 'preparing running calling outOfFuel expiring cancelling finishing',
    finals: 'completed exhausted tripped failed cancelled',
  },
  'remote-agent': {
    states: 'working held expiring expired cancelling cancelSent',
    finals: 'reported failed',
  },
  compaction: { states: 'choosing summarizing judging', finals: 'compacted failed cancelled' },
  screening: { states: 'judging asking', finals: 'screened cancelled' },
  completion: { states: 'scoring', finals: 'passed failed errored' },
  decision: { states: 'asking', finals: 'made failed cancelled' },
  'plan-then-execute': {
    states: 'preparing planning validating executing replanning synthesising finalTurn cancelling',
    finals: 'completed bailed exhausted tripped failed cancelled',
  },
  react: {
    states: 'preparing thinking acting deciding handingOff finalTurn cancelling',
    finals: 'completed exhausted stopped tripped failed cancelled handedOff',
  },
  'meta-router': {
    states: 'preparing identifyingTaskType selectingPattern dispatching cancelling',
    finals: 'completed bailed exhausted tripped failed cancelled',
  },
  debate: {
    states: 'preparing proposing critiquing reconciling finalTurn cancelling',
    finals: 'completed bailed exhausted stopped tripped failed cancelled',
  },
  reflexion: {
    states: 'preparing thinking acting critiquing deciding handingOff finalTurn cancelling',
    finals: 'completed exhausted stopped tripped failed cancelled handedOff',
  },
  'fan-out': {
    states: 'preparing decomposing dispatching collecting bailing synthesising deciding finalTurn cancelling',
    finals: 'completed bailed exhausted stopped tripped failed cancelled',
  },
  supervisor: {
    states:
      'preparing thinking acting bailing reviewing scoring deciding waiting handingOff finalTurn cancelling',
    finals: 'completed bailed exhausted stopped tripped failed cancelled handedOff',
  },
  router: {
    states: 'preparing routing executing reviewing scoring deciding finalTurn cancelling',
    finals: 'completed bailed exhausted stopped tripped failed cancelled',
  },
  dispatch: {
    states: 'classifying dispatching cancelling',
    finals: 'completed bailed exhausted tripped failed cancelled',
  },
}

const sources = readSources(machinesFolder)
const machines = await allMachines()

test('the machines are those of the design', () => {
  expect(machines.map(({ id }) => id).toSorted()).toEqual(Object.keys(design).toSorted())
})

test.for(machines.map((machine) => [machine.id, machine] as const))('%s is wired', ([, machine]) => {
  expect(findingsIn(machine as MachineParts)).toEqual([])
})

test.for(Object.entries(design))('%s has the states of the design', ([id, { states, finals }]) => {
  const config = machines.find((machine) => machine.id === id)?.config as StateConfig | undefined
  const actual = Object.entries(config?.states ?? {})
  const names = actual.map(([name]) => name)
  const binding = `${states} ${finals}`.split(' ')
  expect(binding.filter((name) => !names.includes(name))).toEqual([])

  const ends = actual.filter(([, state]) => state.type === 'final')
  expect(ends.map(([name]) => name).toSorted()).toEqual(finals.split(' ').toSorted())
  expect(ends.filter(([, state]) => state.output === undefined).map(([name]) => name)).toEqual([])
})

/** Calls by which a machine starts a child without naming it, or speaks to its parent. */
function wrongCalls(file: string, source: string): string[] {
  const wrong: string[] = []
  new Visitor({
    CallExpression(node) {
      const name = calleeOf(node)
      if (name === 'sendParent') wrong.push(`${file} uses sendParent`)
      if ((name === 'spawnChild' || name === 'spawn') && !hasId(node)) {
        wrong.push(`${file} spawns without an id: ${source.slice(node.start, node.end)}`)
      }
    },
  }).visit(parseSync(file, source).program)
  return wrong
}

function calleeOf({ callee }: CallExpression): string | undefined {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return undefined
  return callee.property.name
}

function hasId({ arguments: [, options] }: CallExpression): boolean {
  return (
    options?.type === 'ObjectExpression' &&
    options.properties.some(
      (property) =>
        property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === 'id',
    )
  )
}

test('every spawned child is named, and reports by output alone', () => {
  expect(Object.entries(sources).flatMap(([file, source]) => wrongCalls(file, source))).toEqual([])
})

test('the rules find what they forbid', () => {
  const wrong = {
    id: 'wrong',
    implementations: {
      guards: { isFine: () => true },
      actions: { record: () => undefined },
      actors: { model: {} },
    },
    config: {
      on: { '*': '.idle', go: [{ guard: 'isGone', target: '.nowhere' }, { target: '#elsewhere' }] },
      initial: 'idel',
      states: {
        idle: {
          id: 'idle',
          entry: ['record', { type: 'forget' }, () => undefined],
          always: { guard: 'isFine', target: 'busy' },
          invoke: { src: 'model', onDone: 'bussy', onError: '#busy.inner' },
        },
        busy: {
          id: 'busy',
          after: { 100: 'idle' },
          states: { inner: { invoke: { id: 'm', src: 'modle', onDone: '#busy.outer' } } },
        },
      },
    },
  }
  expect(findingsIn(wrong)).toEqual([
    'wrong: the target ".nowhere" does not exist',
    'wrong: the target "#elsewhere" does not exist',
    'wrong: the initial state "idel" does not exist',
    'wrong: listens to "*", which swallows errors',
    'wrong: the guard "isGone" is not implemented',
    'idle: the target "bussy" does not exist',
    'idle: has an "always" beside an "invoke"; the choice needs a gate state',
    'idle: the invoke of model has no id',
    'idle: the action "forget" is not implemented',
    'idle: has an inline action; it needs a name',
    'busy: has states and no initial one',
    'busy: has an "after"; time is a timer effect',
    'busy.inner: the target "#busy.outer" does not exist',
    'busy.inner: the actor "modle" is not implemented',
  ])
  const source = `spawnChild('timer', { input }); enqueue.spawnChild('agent', { id: 'a' }); sendParent({ type: 'x' })`
  expect(wrongCalls('a.ts', source)).toEqual([
    `a.ts spawns without an id: spawnChild('timer', { input })`,
    'a.ts uses sendParent',
  ])
})
