/** A server and two workers on loopback, a risk assessment over them, and the end of one worker in the midst of it. */
import { join } from 'node:path'
import type { FinalResult } from 'troupe'
import { restateTroupe } from 'troupe/restate'
import { balance } from '../restate/balancer.ts'
import { freePorts, RestateServer } from '../restate/server.ts'
import { WorkerHandle } from '../restate/worker-handle.ts'
import { riskAssessment, type Sighting } from './agents.ts'

export interface ClusterReport {
  readonly result: FinalResult
  /** What each agent did, and the worker that did it, in this order. */
  readonly sightings: readonly (Sighting & { readonly worker: string })[]
  /** The worker that was killed. */
  readonly killed: string
}

export interface ClusterOptions {
  /** Milliseconds that a model or a tool takes. */
  readonly pace: number
  readonly onSight?: (line: string) => void
}

export async function runCluster({
  pace,
  onSight = () => undefined,
}: ClusterOptions): Promise<ClusterReport> {
  const sightings: ClusterReport['sightings'][number][] = []
  const isAtWork = Promise.withResolvers<void>()
  const workerOf = (name: string, port: number): WorkerHandle =>
    new WorkerHandle(join(import.meta.dirname, 'worker.ts'), { port, pace }, (message) => {
      const sighting = message as Sighting
      sightings.push({ ...sighting, worker: name })
      onSight(`${name}: ${sighting.agent} (${sighting.step})`)
      // The first worker is killed when it is in the midst of an investigation.
      if (name === 'worker 1' && sighting.step === 'search') isAtWork.resolve()
    })
  await using server = await RestateServer.start()
  const ports = await freePorts(2)
  await using first = workerOf('worker 1', ports[0] ?? 0)
  await using second = workerOf('worker 2', ports[1] ?? 0)
  await Promise.all([first.start(), second.start()])
  await using balancer = await balance(ports)
  await server.register(balancer.port)

  const agent = riskAssessment(pace, () => undefined)
  const troupe = restateTroupe({ ingress: server.ingress, agents: [agent] })
  const run = await troupe.start(agent, 'Assess the risk profile of Company X as a potential partner.')
  await isAtWork.promise
  await first.kill()
  onSight('worker 1 was killed')
  return { result: await run.result, sightings, killed: 'worker 1' }
}
