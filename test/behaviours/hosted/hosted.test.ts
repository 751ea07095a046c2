/** An agent as the logic of an actor in somebody else's XState app: what that app sees, and what it can say. */
import {
  ConfigurationError,
  createAgent,
  createTool,
  createTroupe,
  type AgentOptions,
  type FinalResult,
  type HostedInput,
  type RunEvent,
} from 'troupe'
import {
  assign,
  createActor,
  initialTransition,
  setup,
  spawnChild,
  stopChild,
  toPromise,
  waitFor,
  type ActorRefFrom,
  type DoneActorEvent,
} from 'xstate'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { calls, lead, only, to, toldOfCalls, worker } from '../../support/agents/agents.ts'
import {
  appMachine,
  deskOf,
  heard,
  heardFrom,
  served,
  typesOf,
  type Desk,
  type DeskEvent,
} from '../../support/hosting.ts'

function runEvents(events: readonly DeskEvent[]): readonly RunEvent[] {
  return events.filter((event): event is RunEvent => event.type !== 'signal-refused')
}

const guarded = createTool({
  id: 'remove',
  description: 'Removes a file.',
  inputSchema: z.object({ path: z.string() }),
  requireApproval: true,
  execute: ({ path }) => `removed ${path}`,
})
const callsRemove = calls({ name: 'remove', args: { path: 'a' } })

const asking = createTool({
  id: 'ask',
  description: 'Asks a person.',
  inputSchema: z.object({}),
  execute: (_, { suspend, resumeData }) => resumeData ?? suspend({ question: 'Which one?' }),
})

describe('in a machine', () => {
  test('invoked: its output is the result of the run, and its events are heard from the first one', async () => {
    const writer = worker('writer', ['Tides rise and fall.'])
    const { agent } = lead('lead', [calls(to('writer', 'Write')), 'It is written.'], {
      agents: { writer: writer.agent },
    })
    const troupe = createTroupe({ agents: [agent] })
    const app = createActor(appMachine(troupe.logic(agent)), { input: { prompt: 'Tides', maxSteps: 3 } })
    const events = heardFrom(deskOf(app))
    app.start()
    const { value, context } = await served(app)
    expect(value).toBe('served')
    expect(context.result).toMatchObject({ outcome: 'completed', text: 'It is written.' })
    expect(context.result?.delegations.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ['writer', 'succeeded'],
    ])
    expect(typesOf(events).filter((type) => !/^(text|tool-call)-delta$/.test(type))).toEqual([
      'run-start',
      'iteration-start',
      'step-start',
      'delegation-start',
      'step-start',
      'text-start',
      'text-end',
      'step-finish',
      'delegation-end',
      'step-finish',
      'iteration-end',
      'iteration-start',
      'step-start',
      'text-start',
      'text-end',
      'step-finish',
      'iteration-end',
      'run-finish',
    ])
    const own = only(runEvents(events), 'text-delta').filter((event) => event.delegationId === undefined)
    expect(own.map((event) => event.payload.text).join('')).toBe('It is written.')
    // the run is one like any other
    const runId = context.result?.runId ?? ''
    expect((await troupe.runs()).items.map((run) => [run.runId, run.status])).toEqual([[runId, 'settled']])
    expect((await troupe.replay(runId)).result).toEqual(context.result)
  })

  test('spawned: it stays among the children until the machine reaps it', async () => {
    const { agent } = worker('solo', ['First.', 'Second.'])
    type BoardEvent = { type: 'ask'; id: string } | DoneActorEvent<FinalResult>
    const askedId = (event: BoardEvent): string => ('id' in event ? event.id : '')
    const board = setup({
      types: {
        context: {} as { texts: readonly string[]; spawned: readonly string[] },
        events: {} as BoardEvent,
      },
      actors: { desk: createTroupe({ agents: [agent] }).logic(agent) },
    }).createMachine({
      id: 'board',
      context: { texts: [], spawned: [] },
      on: {
        ask: {
          actions: spawnChild('desk', {
            id: ({ event }) => askedId(event),
            input: ({ event }) => ({ prompt: `Answer ${askedId(event)}` }),
          }),
        },
        'xstate.done.actor.*': {
          actions: [
            assign({
              texts: ({ context, event }) => [...context.texts, event.output.text],
              spawned: ({ self }) => Object.keys(self.getSnapshot().children),
            }),
            stopChild(({ event }) => event.actorId),
          ],
        },
      },
    })
    const app = createActor(board).start()
    app.send({ type: 'ask', id: 'one' })
    await waitFor(app, ({ context }) => context.texts.length === 1)
    app.send({ type: 'ask', id: 'two' })
    const { context, children } = await waitFor(app, ({ context }) => context.texts.length === 2)
    expect(context.texts).toEqual(['First.', 'Second.'])
    expect(context.spawned).toEqual(['two'])
    expect(children).toEqual({})
  })

  test('in a machine that is itself a child', async () => {
    const { agent } = worker('solo', ['Done.'])
    const inner = appMachine(createTroupe({ agents: [agent] }).logic(agent))
    const outer = setup({ actors: { inner } }).createMachine({
      id: 'outer',
      invoke: { src: 'inner', id: 'inner', input: { prompt: 'Go' } },
    })
    const app = createActor(outer).start()
    const { inner: child } = app.getSnapshot().children
    const result = await waitFor(child as ActorRefFrom<typeof inner>, ({ value }) => value !== 'working')
    expect(result.context.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test('as a root by itself', async () => {
    const { agent } = worker('solo', ['Done.'])
    const actor = createActor(createTroupe({ agents: [agent] }).logic(agent), { input: { prompt: 'Go' } })
    const events = heardFrom(actor)
    const result = await toPromise(actor.start())
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(actor.getSnapshot()).toMatchObject({ status: 'done', runId: result.runId, awaiting: [] })
    expect(typesOf(events).at(-1)).toBe('run-finish')
  })

  test('with structured output: the object is in the output', async () => {
    const schema = z.object({ at: z.string().transform((text) => new Date(text)) })
    const { model } = worker('clock', ['{"at":"2026-01-02T00:00:00Z"}'])
    const agent = createAgent({ id: 'clock', instructions: '', model, structuredOutput: { schema } })
    const actor = createActor(createTroupe({ agents: [agent] }).logic(agent), { input: { prompt: 'When?' } })
    const result = await toPromise(actor.start())
    if (result.outcome !== 'completed') throw new Error(`The run is ${result.outcome}.`)
    expect(result.object.at.getUTCDate()).toBe(2)
  })

  test('created and never started: there is no run', async () => {
    const { agent, model } = worker('solo', [])
    const troupe = createTroupe({ agents: [agent] })
    const [next] = initialTransition(appMachine(troupe.logic(agent)), { prompt: 'Go' })
    expect(Object.keys(next.children)).toEqual(['desk'])
    await troupe.close()
    expect((await troupe.runs()).items).toEqual([])
    expect(model.calls).toEqual([])
  })
})

describe('a wrong input fails the actor, and the machine hears it', () => {
  test.each<[string, unknown, string]>([
    ['no input', undefined, 'The input of the agent "solo" must be { prompt, … }, not undefined.'],
    ['null', null, 'The input of the agent "solo" must be { prompt, … }, not null.'],
    ['a text', 'Go', 'The input of the agent "solo" must be { prompt, … }, not "Go".'],
    ['a list', ['Go'], 'The input of the agent "solo" must be { prompt, … }, not'],
    ['no prompt', {}, 'The input of the agent "solo" must be { prompt, … }: its prompt is missing.'],
    ['a prompt of another type', { prompt: 7 }, 'The input of the agent "solo": The prompt must be a text'],
    [
      'a message without a role',
      { prompt: [{ content: 'Go' }] },
      'The input of the agent "solo": The prompt must',
    ],
    ['an empty prompt', { prompt: ' ' }, 'The input of the agent "solo": The prompt is empty.'],
    ['an unknown option', { prompt: 'Go', maxStep: 2 }, '"maxStep"'],
    ['a wrong option', { prompt: 'Go', maxSteps: 0 }, 'maxSteps'],
    ['an option of supervisors', { prompt: 'Go', maxDepth: 2 }, '"maxDepth"'],
  ])('%s', async (_, input, message) => {
    const { agent, model } = worker('solo', [])
    const troupe = createTroupe({ agents: [agent] })
    const app = createActor(appMachine(troupe.logic(agent)), { input: input as HostedInput<AgentOptions> })
    app.start()
    const { value, context } = await served(app)
    expect(value).toBe('broken')
    expect(context.error).toBeInstanceOf(ConfigurationError)
    expect((context.error as Error).message).toContain(message)
    expect(model.calls).toEqual([])
    expect((await troupe.runs()).items).toEqual([])
  })

  test('an agent that the troupe does not know is refused at once', () => {
    const { agent } = worker('solo', [])
    const { agent: stranger } = worker('stranger', [])
    expect(() => createTroupe({ agents: [agent] }).logic(stranger)).toThrow(ConfigurationError)
  })

  test('a troupe that was closed', async () => {
    const { agent } = worker('solo', [])
    const troupe = createTroupe({ agents: [agent] })
    await troupe.close()
    const app = createActor(appMachine(troupe.logic(agent)), { input: { prompt: 'Go' } }).start()
    expect((await served(app)).context.error).toMatchObject({ code: 'TROUPE_CLOSED' })
  })
})

describe('what the app says to it', () => {
  const asks = (desk: ActorRefFrom<Desk>) => waitFor(desk, ({ awaiting }) => awaiting.length > 0)

  test('approve: `awaiting` shows what is asked, and is empty when it was answered', async () => {
    const { agent, model } = worker('solo', [callsRemove, 'Removed.'], { tools: { remove: guarded } })
    const app = createActor(appMachine(createTroupe({ agents: [agent] }).logic(agent)), {
      input: { prompt: 'Go' },
    }).start()
    const desk = deskOf(app)
    const { awaiting } = await asks(desk)
    expect(awaiting).toEqual([
      {
        toolCallId: 'solo/call:1.1',
        type: 'approval',
        agent: 'solo',
        toolName: 'remove',
        args: { path: 'a' },
      },
    ])
    desk.send({ type: 'approve', toolCallId: 'solo/call:1.1' })
    await heard(desk, 'resumed')
    expect(desk.getSnapshot().awaiting).toEqual([])
    expect((await served(app)).context.result).toMatchObject({ outcome: 'completed', text: 'Removed.' })
    expect(toldOfCalls(model, 2)).toEqual(['removed a'])
  })

  test('deny, with a reason', async () => {
    const { agent, model } = worker('solo', [callsRemove, 'Kept.'], { tools: { remove: guarded } })
    const app = createActor(appMachine(createTroupe({ agents: [agent] }).logic(agent)), {
      input: { prompt: 'Go' },
    }).start()
    const desk = deskOf(app)
    await asks(desk)
    desk.send({ type: 'deny', toolCallId: 'solo/call:1.1', reason: 'It is needed.' })
    expect((await served(app)).context.result).toMatchObject({ outcome: 'completed', text: 'Kept.' })
    expect(toldOfCalls(model, 2)[0]).toContain('It is needed.')
  })

  test('resume, with data', async () => {
    const { agent, model } = worker('solo', [calls({ name: 'ask' }), 'The red one.'], {
      tools: { ask: asking },
    })
    const app = createActor(appMachine(createTroupe({ agents: [agent] }).logic(agent)), {
      input: { prompt: 'Go' },
    }).start()
    const desk = deskOf(app)
    expect((await asks(desk)).awaiting).toMatchObject([
      { type: 'suspension', payload: { question: 'Which one?' } },
    ])
    desk.send({ type: 'resume', toolCallId: 'solo/call:1.1', data: { colour: 'red' } })
    expect((await served(app)).context.result).toMatchObject({ outcome: 'completed', text: 'The red one.' })
    expect(toldOfCalls(model, 2)).toEqual(['{"colour":"red"}'])
  })

  test('cancel: the machine gets a result all the same', async () => {
    const { agent, model } = worker('solo', [{ hang: true }])
    const app = createActor(appMachine(createTroupe({ agents: [agent] }).logic(agent)), {
      input: { prompt: 'Go' },
    }).start()
    const desk = deskOf(app)
    await heard(desk, 'step-start')
    desk.send({ type: 'cancel', reason: 'Never mind.' })
    const { value, context } = await served(app)
    expect(value).toBe('served')
    expect(context.result).toMatchObject({ outcome: 'cancelled', reason: 'Never mind.' })
    expect(model.calls.map((call) => call.signal.aborted)).toEqual([true])
  })

  test('cancel, while a person is waited for: nothing is awaited any more', async () => {
    const { agent } = worker('solo', [callsRemove], { tools: { remove: guarded } })
    const app = createActor(appMachine(createTroupe({ agents: [agent] }).logic(agent)), {
      input: { prompt: 'Go' },
    }).start()
    const desk = deskOf(app)
    await asks(desk)
    desk.send({ type: 'cancel' })
    expect((await served(app)).context.result).toMatchObject({ outcome: 'cancelled', reason: 'cancelled' })
    expect(desk.getSnapshot()).toMatchObject({ status: 'done', awaiting: [] })
  })

  test('an answer that nobody waits for is refused by an event, and changes nothing', async () => {
    const { agent } = worker('solo', [callsRemove, 'Removed.'], { tools: { remove: guarded } })
    const app = createActor(appMachine(createTroupe({ agents: [agent] }).logic(agent)), {
      input: { prompt: 'Go' },
    }).start()
    const desk = deskOf(app)
    await asks(desk)
    const events = heardFrom(desk)
    desk.send({ type: 'approve', toolCallId: 'nobody' })
    desk.send({ type: 'resume', toolCallId: 'solo/call:1.1', data: 1 })
    desk.send({ type: 'approve', toolCallId: 'solo/call:1.1' })
    desk.send({ type: 'deny', toolCallId: 'solo/call:1.1' })
    const refusals = () => events.filter((event) => event.type === 'signal-refused')
    await expect.poll(() => refusals().length).toBe(3)
    expect(refusals().map(({ signal, error }) => [signal.type, error.name, error.code])).toEqual([
      ['approve', 'SignalError', 'UNKNOWN_SIGNAL'],
      ['resume', 'SignalError', 'SIGNAL_TYPE_MISMATCH'],
      ['deny', 'SignalError', 'SIGNAL_ALREADY_ANSWERED'],
    ])
    expect((await served(app)).context.result).toMatchObject({ outcome: 'completed', text: 'Removed.' })
  })

  test('a listener and a subscriber that throw break nothing', async () => {
    using error = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { agent } = worker('solo', ['Done.'])
    const app = createActor(appMachine(createTroupe({ agents: [agent] }).logic(agent)), {
      input: { prompt: 'Go' },
    })
    const desk = deskOf(app)
    desk.on('*', () => {
      throw new Error('a listener')
    })
    desk.subscribe(() => {
      throw new Error('a subscriber')
    })
    app.start()
    expect((await served(app)).context.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(error.mock.calls.map(([told]) => told as unknown)).toEqual([
      'troupe: a subscriber threw; the same error is not reported again',
      'troupe: a listener threw; the same error is not reported again',
    ])
  })
})
