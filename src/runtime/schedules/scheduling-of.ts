/** The schedules of a troupe, on its store and its runs. */
import type { Prompt } from '../../actors/message.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { cancelSignal, type RunSignal } from '../handle/run.ts'
import { deleteRun } from '../journal/run-notes.ts'
import type { HostedRun, RunHost } from '../run/run-host.ts'
import { createRun, type RunSpec } from '../run/create-run.ts'
import type { Selectors } from '../options/version-selectors.ts'
import { lookUp } from '../definition/registry.ts'
import { Scheduling } from './scheduling.ts'
import type { CronCalendar } from './time-plan.ts'

interface SchedulingCore extends Pick<
  RunHost,
  | 'store'
  | 'environment'
  | 'clock'
  | 'report'
  | 'pollInterval'
  | 'registry'
  | 'isOpen'
  | 'assertOpen'
  | 'assertTakes'
  | 'awaitBeforeClose'
  | 'tenants'
> {
  readonly leaseTtl: number
  readonly selectors: Selectors
  assertKnown(agent: AgentDefinition): void
  start(agent: AgentDefinition, prompt: Prompt, options: object): Promise<unknown>
  resume(runId: string): Promise<HostedRun>
  tell(runId: string, make: () => RunSignal): Promise<void>
}

export function schedulingOf(core: SchedulingCore, calendar: CronCalendar | undefined): Scheduling {
  const { store, environment, clock, report, leaseTtl, pollInterval, registry } = core
  return new Scheduling({
    storage: store.schedules,
    store,
    environment,
    clock,
    calendar,
    report,
    leaseTtl,
    pollInterval,
    agents: () => [...registry.keys()],
    isOpen: () => core.isOpen,
    assertOpen: () => core.assertOpen(),
    assertTakes: () => core.assertTakes(),
    check: (agent, prompt, options) => check(core, agent, prompt, options),
    startRun: (agent, prompt, options) => core.start(lookUp(registry, agent), prompt, options),
    withdraw: (runId) => withdraw(core, runId),
    awaitBeforeClose: (work) => core.awaitBeforeClose(work),
  })
}

/** The run that would begin. Nobody observes it. */
function check(core: SchedulingCore, agent: AgentDefinition, prompt: Prompt, options: object): RunSpec {
  core.assertKnown(agent)
  const { registry, selectors, clock, environment, store, tenants } = core
  const made = createRun(agent, prompt, options, true, {
    registry,
    selectors,
    now: clock.now(),
    newId: environment.newId,
    hasBlobs: store.blobs !== undefined,
    hasMemory: store.memory !== undefined,
  })
  tenants?.tenantOf(made.started.resourceId)
  return made
}

/** Ends and deletes a run whose schedule was removed while the run was started. */
async function withdraw(core: SchedulingCore, runId: string): Promise<void> {
  const { run } = await core.resume(runId)
  await core.tell(runId, () => cancelSignal('The schedule of this run was removed.', {}))
  await run.result
  await deleteRun(core.store, runId)
}
