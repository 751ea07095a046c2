/** The functions of `@xstate/graph` on the machines of `troupe/machines`: those that work, and those that do not. */
import {
  adjacencyMapToArray,
  createShortestPathsGen,
  createSimplePathsGen,
  createTestModel,
  getAdjacencyMap,
  getPathsFromEvents,
  getShortestPaths,
  getSimplePaths,
  getStateNodes,
  joinPaths,
  toDirectedGraph,
} from '@xstate/graph'
import {
  createActor,
  type AnyActorRef,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from 'xstate'
import { expect, test } from 'vitest'
import { createAgent, createSupervisor, type ErrorData } from 'troupe'
import {
  inputOf,
  reportEvent,
  supervisorMachine,
  type DelegationOutput,
  type EffectSettlement,
} from 'troupe/machines'
import { scriptedModel, testPaths } from 'troupe/testing'

const model = scriptedModel([])
const finder = createAgent({ id: 'finder', description: 'Finds.', instructions: 'Find.', model })
const lead = createSupervisor({ id: 'lead', instructions: 'Lead.', model, agents: { finder }, maxSteps: 2 })
const input = inputOf(lead, 'Write a report.')
const machine: AnyStateMachine = supervisorMachine()

const down: ErrorData = { name: 'Error', code: 'DOWN', message: 'no answer' }
const found: DelegationOutput = {
  kind: 'delegation',
  record: {
    id: 'lead/delegation:1.1',
    agent: 'finder',
    outcome: 'succeeded',
    text: 'Facts.',
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    toolResults: [],
  },
  content: 'Facts.',
  usage: {},
}
const outcomes: Readonly<Record<string, readonly EffectSettlement[]>> = {
  model: [
    { value: { text: 'The report.' } },
    { value: { toolCalls: [{ id: 'c1', name: 'agent-finder', args: { prompt: 'Facts?' } }] } },
    { error: down },
  ],
  delegation: [{ value: found }],
}

const childrenOf = ({ children }: AnyMachineSnapshot): AnyActorRef[] =>
  Object.values(children as Record<string, AnyActorRef>)
const eventsOf = (child: AnyActorRef) =>
  (typeof child.src === 'string' ? (outcomes[child.src] ?? []) : []).map((outcome) =>
    reportEvent(child, outcome),
  )
const events = (snapshot: AnyMachineSnapshot) =>
  snapshot.status === 'active' ? childrenOf(snapshot).flatMap(eventsOf) : []
const serializeState = ({ value, context }: AnyMachineSnapshot): string =>
  JSON.stringify([value, context.step, context.live.length])
const options = { input, events, serializeState, limit: 1_000 }

const ends = ['completed', 'exhausted', 'failed']
const endsOf = (paths: readonly { readonly state: AnyMachineSnapshot }[]): unknown[] =>
  [...new Set(paths.map(({ state }) => state.value).filter((value) => typeof value === 'string'))].toSorted()

test('shortest and simple paths lead to every end', () => {
  const shortest = getShortestPaths(machine, options)
  expect(endsOf(shortest)).toEqual(ends)
  expect(shortest.find(({ state }) => state.value === 'exhausted')?.weight).toBe(5)
  const simple = getSimplePaths(machine, options)
  expect(endsOf(simple)).toEqual(ends)
  expect(simple.length).toBeGreaterThan(shortest.length)
  expect(
    createShortestPathsGen<AnyMachineSnapshot, AnyEventObject, unknown>()(machine, options),
  ).toHaveLength(shortest.length)
  expect(createSimplePathsGen<AnyMachineSnapshot, AnyEventObject, unknown>()(machine, options)).toHaveLength(
    simple.length,
  )
})

test('the adjacency map has every state once', () => {
  const map = getAdjacencyMap(machine, options)
  expect(Object.keys(map)).toHaveLength(getShortestPaths(machine, options).length)
  expect(adjacencyMapToArray(map).map(({ nextState }) => nextState.value)).toContain('failed')
})

test('paths are joined', () => {
  const [toWork] = getShortestPaths(machine, { ...options, toState: (state) => state.matches('acting') })
  const [toEnd] = getShortestPaths(machine, {
    ...options,
    fromState: toWork?.state,
    toState: ({ status }) => status === 'done',
  })
  if (toWork === undefined || toEnd === undefined) throw new Error('There are no such paths.')
  expect(joinPaths(toWork, toEnd).state.value).toBe('completed')
})

test('paths from events need the first state', () => {
  const fromState: AnyMachineSnapshot = createActor(machine, { input }).getSnapshot()
  const [child] = childrenOf(fromState)
  if (child === undefined) throw new Error('No effect waits.')
  const report = reportEvent(child, { value: { text: 'The report.' } })
  const [path] = getPathsFromEvents(machine, [report], { ...options, fromState })
  expect(path?.state).toMatchObject({ status: 'done', output: { text: 'The report.' } })
  expect(() => getPathsFromEvents(machine, [report], options)).toThrow(TypeError)
})

test('the directed graph has the states, and no transition that has no event', () => {
  const nodes = getStateNodes(machine)
  expect(nodes.map(({ key }) => key)).toContain('thinking')
  const graph = toDirectedGraph(machine)
  expect(graph.children.map(({ stateNode }) => stateNode.key)).toContain('exhausting')
  const gate = graph.children.find(({ stateNode }) => stateNode.key === 'exhausting')
  expect(gate?.stateNode.always?.length).toBeGreaterThan(0)
  expect(gate?.edges).toEqual([])
})

test('createTestModel refuses machines that invoke actors', () => {
  expect(() => createTestModel(machine)).toThrow('Invocations on test machines are not supported')
})

test('without a key of its own the graph grows with the context, up to its limit', () => {
  const { serializeState: _key, ...unkeyed } = options
  expect(Object.keys(getAdjacencyMap(machine, unkeyed)).length).toBeGreaterThan(
    Object.keys(getAdjacencyMap(machine, options)).length,
  )
})

test('without an input the first state is an error', () => {
  const [path] = getShortestPaths(machine, {
    events,
    serializeState: ({ status }: AnyMachineSnapshot) => status,
  })
  expect(String(path?.state.error)).toContain('inputOf(agent, prompt)')
})

test('a value that an effect cannot have makes no event', () => {
  const [child] = childrenOf(createActor(machine, { input }).getSnapshot())
  if (child === undefined) throw new Error('No effect waits.')
  expect(() => reportEvent(child, { value: 1 })).toThrow('is no outcome of a model')
})

test('testPaths runs its paths on the real engine', async () => {
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  const reply = { text: 'The report.', toolCalls: [], finishReason: 'stop', usage }
  const paths = testPaths(machine, {
    inputs: { lead: input },
    outcomes: {
      model: [
        { name: 'answers', value: reply },
        { name: 'fails', error: down },
      ],
    },
    toState: ({ status }) => status === 'done',
  })
  expect(paths.map(({ name }) => name)).toEqual(['lead → model: answers', 'lead → model: fails'])
  for (const { run } of paths) await run()
})
