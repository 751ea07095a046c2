/** What must and must not compile with the runs of any engine. Nothing runs it. */
import {
  createAgent,
  createTroupe,
  openai,
  type ActorView,
  type JournalEntry,
  type Run,
  type RunService,
} from 'troupe'
import { restateTroupe, type RunExport } from 'troupe/restate'
import { expectType } from './expect-type.ts'

const worker = createAgent({ id: 'worker', instructions: '', model: openai('gpt-5-mini') })
const embedded = createTroupe({ agents: [worker] })
const distributed = restateTroupe({ ingress: 'http://127.0.0.1:8080', agents: [worker] })

// Both engines are of the type, and a page that takes it serves either.
export const services: readonly RunService[] = [embedded, distributed]

async function page(service: RunService): Promise<void> {
  const { items, next } = await service.runs({ limit: 10, order: 'newest' })
  expectType<string | undefined>()(next)
  const [first] = items
  if (first === undefined) return
  expectType<string>()(first.status)
  const journal = await service.journal(first.runId)
  if ('parts' in journal) expectType<string | undefined>()(journal.parts.at(0)?.path)
  else expectType<JournalEntry | undefined>()(journal.at(0))
  await service.history(first.runId)
  for await (const { cursor } of service.watch(first.runId, { after: 'cursor' })) {
    expectType<string | undefined>()(cursor)
  }
  expectType<AsyncIterable<string>>()(service.watch(first.runId).textStream)
  const { events } = await service.replay(first.runId)
  expectType<string | undefined>()(events.at(0)?.runId)
  const trail = await service.trail(first.runId)
  expectType<string | undefined>()(trail.entries.at(0)?.transitions.at(0)?.guard)
  expectType<readonly ActorView[]>()(trail.view(1, { path: 'worker' }))
  // @ts-expect-error -- there is no such option
  trail.view(1, { actor: 'worker' })
  // @ts-expect-error -- it is read-only
  trail.entries = []
  expectType<string | undefined>()(service.charts().at(0)?.states.at(0)?.transitions.at(0)?.guard)
  await service.signal(first.runId, { type: 'approve', toolCallId: 'worker/call:1.1' })
  await service.cancel(first.runId, 'stop')
  const question = (await service.awaiting({ runId: first.runId })).items.at(0)
  expectType<number | undefined>()(question?.since)
  await service.delete(first.runId)
  await service.runs({ runId: first.runId, resourceId: 'ann' })
  // @ts-expect-error -- the terms of status are those of an engine
  await service.runs({ status: 'settled' })
  // @ts-expect-error -- only one engine has it
  await service.fork(first.runId, { at: 1 })
  await service.fork?.(first.runId, { at: 1 })
  expectType<(() => void) | undefined>()(service.subscribe?.(() => undefined))
  // @ts-expect-error -- only one engine has it
  service.subscribe(() => undefined)
  // @ts-expect-error -- a page does not start runs
  void service.start
}
embedded.subscribe((runId, change) => {
  expectType<string>()(runId)
  expectType<'entries' | 'signals'>()(change)
})
expectType<true | undefined>()((await embedded.runs()).items[0]?.isPassivated)
await page(embedded)
await page(distributed)

// Each engine keeps its own types.
expectType<Run>()(await embedded.fork('id', { at: 1 }))
await embedded.fork('id', { at: 1 }, { threadId: 'live', runId: 'new', onFinish: () => undefined })
await embedded.resume('id', { onError: () => undefined, delegation: { onDelegationStart: () => undefined } })
// @ts-expect-error -- a run keeps the thread that it began with
await embedded.resume('id', { threadId: 'live' })
// @ts-expect-error -- a run keeps its caps
await embedded.resume('id', { maxSteps: 5 })
// @ts-expect-error -- a run keeps its context
await embedded.resume('id', { context: {} })
// @ts-expect-error -- a fork keeps the budget of its run
await embedded.fork('id', { at: 1 }, { budget: { totalTokens: 1 } })
// @ts-expect-error -- a fork keeps the resource of its run
await embedded.fork('id', { at: 1 }, { resourceId: 'bob' })
// @ts-expect-error -- a fork keeps the instructions of its run
await embedded.fork('id', { at: 1 }, { instructions: 'Other.' })
// @ts-expect-error -- a fork keeps the memory of its run
await embedded.fork('id', { at: 1 }, { memory: true })
expectType<readonly JournalEntry[]>()(await embedded.journal('id'))
expectType<RunExport>()(await distributed.journal('id'))
// @ts-expect-error -- a run on Restate cannot be forked
void distributed.fork
