/**
 * A server and two workers on loopback, the partner check of example 25 over them, and the end of one worker in the midst
 * of it.
 */
import { join } from 'node:path'
import type { FinalResult } from 'troupe'
import { restateTroupe } from 'troupe/restate'
import { createPartnerCheck } from '../../examples/25-partner-risk/agents.ts'
import { script } from '../../examples/25-partner-risk/script.ts'
import { chooseModel } from '../../examples/support/model.ts'
import { balance } from '../restate/balancer.ts'
import { freePorts, RestateServer } from '../restate/server.ts'
import { WorkerHandle } from '../restate/worker-handle.ts'

/** A model was called: for the agent at this path, by this worker. */
export interface Sighting {
  readonly path: string
  readonly worker: string
}

export interface ClusterReport {
  readonly result: FinalResult
  /** In their order. */
  readonly sightings: readonly Sighting[]
  /** Outcomes of delegations, by the paths of their agents. */
  readonly outcomes: ReadonlyMap<string, string>
  /** The worker that was killed, and how many models had been called by then. */
  readonly killed: { readonly worker: string; readonly after: number }
}

export async function runCluster(onSight: (line: string) => void = () => undefined): Promise<ClusterReport> {
  await using source = await chooseModel(script)
  const { environment } = source
  const sightings: Sighting[] = []
  const isAtWork = Promise.withResolvers<void>()
  const workerOf = (worker: string, port: number): WorkerHandle =>
    new WorkerHandle(join(import.meta.dirname, 'worker.ts'), { port, environment }, (message) => {
      const path = message as string
      sightings.push({ path, worker })
      onSight(`${worker}: ${path}`)
      // The first worker is killed when it is in the midst of an investigation.
      if (worker === 'worker 1' && path.endsWith('/investigator')) isAtWork.resolve()
    })
  await using server = await RestateServer.start()
  const ports = await freePorts(2)
  await using first = workerOf('worker 1', ports[0] ?? 0)
  await using second = workerOf('worker 2', ports[1] ?? 0)
  await Promise.all([first.start(), second.start()])
  await using balancer = await balance(ports)
  await server.register(balancer.port)

  const agent = createPartnerCheck(source.model)
  const troupe = restateTroupe({ ingress: server.ingress, agents: [agent] })
  const run = await troupe.start(agent, 'Assess the risk profile of Company X as a potential partner')
  await isAtWork.promise
  await first.kill()
  const killed = { worker: 'worker 1', after: sightings.length }
  onSight('worker 1 was killed')
  const outcomes = new Map<string, string>()
  for await (const { type, path, payload } of run.events) {
    if (type === 'delegation-end') outcomes.set(`${path}/${payload.agentId}`, payload.outcome)
  }
  return { result: await run.result, sightings, outcomes, killed }
}
