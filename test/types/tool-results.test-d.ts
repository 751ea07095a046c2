/** The types of tools survive into steps and events, where the tools of an agent are known. */
import {
  createAgent,
  createDispatcher,
  createPlanner,
  createReflexion,
  createRouter,
  createSupervisor,
  createTool,
  createTroupe,
  createWorkflow,
  openai,
  toolResultOf,
  type AsJson,
  type ErrorData,
  type JsonValue,
  type Run,
  type RunEvent,
  type RunResult,
} from 'troupe'
import { fromPromise } from 'xstate'
import { z } from 'zod'
import { expectType } from './expect-type.ts'

interface Forecast {
  readonly day: Date
  readonly note?: string | undefined
  explain(): string
}

const model = openai('gpt-5-mini')
const weather = createTool({
  id: 'weather',
  description: 'The weather.',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ sky: z.enum(['clear', 'grey']), degrees: z.number() }),
  execute: () => ({ sky: 'clear' as const, degrees: 4 }),
})
const forecast = createTool({
  id: 'forecast',
  description: 'The weather of a day.',
  inputSchema: z.object({}),
  execute: (): Forecast => ({ day: new Date(), explain: () => 'It will be so.' }),
})
const plan = createWorkflow({
  id: 'plan',
  description: 'Plans a journey.',
  inputSchema: z.object({}),
  logic: fromPromise(async () => ['train']),
})

const guide = createAgent({
  id: 'guide',
  description: 'Advises.',
  instructions: '',
  model,
  tools: { weather, forecast },
  workflows: { plan },
})

export async function steps(): Promise<void> {
  const result = await guide.generate('Go')
  for (const call of result.steps.flatMap(({ toolResults }) => toolResults)) {
    if (call.name === 'weather' && call.outcome === 'background') expectType<undefined>()(call.value)
    if (call.name === 'weather' && call.outcome === 'succeeded') {
      expectType<{ sky: 'clear' | 'grey'; degrees: number }>()(call.value)
    }
    if (call.name === 'weather' && call.outcome === 'failed') {
      expectType<ErrorData | undefined>()(call.error)
      expectType<undefined>()(call.value)
    }
    if (call.name === 'forecast' && call.outcome === 'succeeded') {
      expectType<string>()(call.value.day)
      expectType<string | undefined>()(call.value.note)
      // @ts-expect-error a journal holds no methods
      void call.value.explain
    }
    if (call.name === 'plan' && call.outcome === 'succeeded') expectType<string[]>()(call.value)
    // @ts-expect-error there is no such field
    if (call.name === 'weather' && call.outcome === 'succeeded') void call.value.rain
  }
}

export async function events(): Promise<void> {
  const run = guide.stream('Go')
  for await (const event of run.events) {
    if (event.type !== 'tool-result') continue
    if (event.payload.toolName === 'weather') expectType<number>()(event.payload.result.degrees)
    if (event.payload.toolName === 'plan') expectType<string[]>()(event.payload.result)
    // @ts-expect-error the agent has no such tool
    if (event.payload.toolName === 'wether') return
  }
  const troupe = createTroupe({ agents: [guide] })
  const started = await troupe.start(guide, 'Go')
  const { steps: taken } = await started.result
  for (const call of taken.flatMap(({ toolResults }) => toolResults)) {
    if (call.name === 'weather' && call.outcome === 'succeeded') expectType<number>()(call.value.degrees)
  }
  // A typed run, its events and its result stand wherever any are taken.
  takes(run, await guide.generate('Go'))
  for await (const event of started.events) hears(event)
}

function takes(_run: Run, _result: RunResult): void {}
function hears(_event: RunEvent): void {}

const critic = createReflexion({ id: 'critic', instructions: '', model, tools: { weather } })
const dynamic = createAgent({ id: 'dynamic', instructions: '', model, tools: () => ({ weather }) })
const lead = createSupervisor({ id: 'lead', instructions: '', model, agents: { guide }, tools: { weather } })

export async function others(): Promise<void> {
  for (const call of (await critic.generate('Go')).steps.flatMap(({ toolResults }) => toolResults)) {
    if (call.name === 'weather' && call.outcome === 'succeeded') expectType<number>()(call.value.degrees)
  }
  // Where a function of the run makes the tools, and where subagents have tools of their own, any JSON may come.
  for await (const event of dynamic.stream('Go').events) {
    if (event.type === 'tool-result') expectType<JsonValue>()(event.payload.result)
  }
  const run = lead.stream('Go')
  for await (const event of run.events) {
    if (event.type === 'tool-result') expectType<JsonValue>()(event.payload.result)
    // The results of one agent's tools have their types, whichever agent it is.
    const own = toolResultOf(lead, event)
    if (own?.toolName === 'weather') expectType<number>()(own.result.degrees)
    const guides = toolResultOf(guide, event)
    if (guides?.toolName === 'forecast') expectType<string>()(guides.result.day)
    // @ts-expect-error the supervisor has no such tool
    if (own?.toolName === 'forecast') return
    const made = toolResultOf(dynamic, event)
    if (made !== undefined) expectType<JsonValue>()(made.result)
  }
}

export async function patterns(): Promise<void> {
  const common = { instructions: '', model, description: 'Works.', tools: { weather } }
  const agents = { guide }
  const planner = createPlanner({ id: 'planner', ...common, agents })
  const router = createRouter({ id: 'router', ...common, agents, memory: true, workflows: { plan } })
  const dispatcher = createDispatcher({ id: 'dispatcher', ...common })
  const troupe = createTroupe({ agents: [planner] })
  const results = [
    await lead.generate('Go'),
    await planner.generate('Go'),
    await router.generate('Go'),
    await dispatcher.generate('Go'),
    await (await troupe.start(planner, 'Go')).result,
  ] as const
  for (const { steps } of results) {
    for (const { toolResults } of steps) {
      for (const call of toolResults) {
        if (call.name === 'weather' && call.outcome === 'succeeded') {
          expectType<{ sky: 'clear' | 'grey'; degrees: number }>()(call.value)
        }
        if (call.name === 'agent-guide') expectType<JsonValue | undefined>()(call.value)
      }
    }
  }
  for await (const event of (await troupe.start(planner, 'Go')).events) {
    if (event.type === 'tool-result') expectType<JsonValue>()(event.payload.result)
  }
  // Steps and events of successors, whose tools are not known, are among those of an agent with handoffs.
  const handing = createAgent({ id: 'handing', ...common, handoffs: [guide] })
  for (const call of (await handing.generate('Go')).steps.flatMap(({ toolResults }) => toolResults)) {
    expectType<JsonValue | undefined>()(call.value)
  }
  for await (const event of handing.stream('Go').events) {
    if (event.type === 'tool-result') expectType<JsonValue>()(event.payload.result)
  }
}

// A tool that answers with one of several object literals: TypeScript gives each the fields of the others, as `undefined`.
const hours = createTool({
  id: 'hours',
  description: 'The opening hours of a day.',
  inputSchema: z.object({ day: z.string() }),
  execute: ({ day }) => (day === 'Monday' ? { day, closed: true } : { day, from: '10:00' }),
})
const keeper = createAgent({ id: 'keeper', instructions: '', model, tools: { hours } })
createTroupe({ agents: [keeper] })

export async function unions(): Promise<void> {
  for (const call of (await keeper.generate('')).steps.flatMap(({ toolResults }) => toolResults)) {
    if (call.name !== 'hours' || call.outcome !== 'succeeded') continue
    if ('closed' in call.value) expectType<boolean>()(call.value.closed)
    else expectType<string>()(call.value.from)
  }
}

declare const written: AsJson<Forecast>
expectType<string>()(written.day)
