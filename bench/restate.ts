/**
 * What our charts cost on Restate: a fan-out of 100 subagents, each with one model call of 50 ms, over two workers,
 * beside workflows that were written by hand and take the same steps. One of each in turn, on workers that are warm; what
 * counts is the median.
 */
import { join } from 'node:path'
import { connect } from '@restatedev/restate-sdk-clients'
import { restateTroupe } from 'troupe/restate'
import { balance } from '../scripts/restate/balancer.ts'
import { freePorts, RestateServer } from '../scripts/restate/server.ts'
import { WorkerHandle } from '../scripts/restate/worker-handle.ts'
import { agents, children, pace } from './restate/work.ts'

/** Of each, before anything counts: V8 compiles what is used often, and a worker lives for days. */
const warmUps = 30
const repetitions = Number(process.argv[2] ?? 31)

await using server = await RestateServer.start()
const ports = await freePorts(2)
const program = join(import.meta.dirname, 'restate/worker.ts')
await using first = new WorkerHandle(program, { port: ports[0] })
await using second = new WorkerHandle(program, { port: ports[1] })
await Promise.all([first.start(), second.start()])
await using balancer = await balance(ports)
await server.register(balancer.port)

const agent = agents()
const troupe = restateTroupe({ ingress: server.ingress, agents: [agent] })
const ingress = connect({ url: server.ingress })

async function ours(): Promise<void> {
  const result = await (await troupe.start(agent, 'Go')).result
  if (result.delegations.length !== children)
    throw new Error(`There were ${result.delegations.length} parts.`)
}

async function byHand(index: number): Promise<void> {
  const client = ingress.workflowClient({ name: 'hand.whole' } as never, `hand-${index}`) as object as {
    workflowSubmit(): Promise<unknown>
    workflowAttach(): Promise<{ readonly parts: number }>
  }
  await client.workflowSubmit()
  const { parts } = await client.workflowAttach()
  if (parts !== children) throw new Error(`There were ${parts} parts.`)
}

async function timed(act: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}

const times = { ours: [] as number[], byHand: [] as number[] }
for (let index = -warmUps; index < repetitions; index++) {
  const hand = await timed(() => byHand(index))
  const own = await timed(ours)
  if (index < 0) continue
  times.byHand.push(hand)
  times.ours.push(own)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

const [own, hand] = [median(times.ours), median(times.byHand)]
// Goals, one round of parts, synthesis.
const ideal = 3 * pace
console.table({
  'by hand': { 'wall (ms)': Math.round(hand), 'of the ideal': (hand / ideal).toFixed(2) },
  ours: { 'wall (ms)': Math.round(own), 'of the ideal': (own / ideal).toFixed(2) },
})
console.log(
  `ours / by hand: ${(own / hand).toFixed(2)} (median of ${repetitions}, ${children} children, two workers)`,
)
