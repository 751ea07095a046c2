/** The schedules of a troupe: makes them, and has the scheduler that starts their runs. */
import type { AgentDefinition } from '../definition/definition.ts'
import type { Prompt } from '../../actors/message.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { copyAsJson } from '../../actors/values/to-json.ts'
import { ConfigurationError } from '../../errors.ts'
import type { RunSpec } from '../run/create-run.ts'
import { changedSchedule, newSchedule, shown, type Asked, type Schedule } from './kept-schedule.ts'
import { occurrenceId, readTimes, type ScheduleTimes } from './schedule-options.ts'
import { ScheduleRows } from './schedule-rows.ts'
import { Scheduler, type SchedulerHost } from './scheduler.ts'
import { scheduleOfAnother, schedulesOf, troupeSchedules, type TroupeSchedules } from './schedules.ts'
import type { ScheduleStorage } from '../journal/schedule-storage.ts'

export interface SchedulingHost extends SchedulerHost {
  readonly storage: ScheduleStorage | undefined
  /** Throws where the troupe takes no runs. */
  assertTakes(): void
  assertOpen(): void
  /** Makes the specification of a run, and begins nothing. Throws a `ConfigurationError`. */
  check(agent: AgentDefinition, prompt: Prompt, options: object): RunSpec
}

export class Scheduling {
  readonly list: TroupeSchedules
  readonly #host: SchedulingHost
  readonly #scheduler: Scheduler | undefined
  /** This worker starts what is due, from its first schedule or recovery on. */
  #isAtWork = false

  constructor(host: SchedulingHost) {
    this.#host = host
    const { storage, environment, clock, calendar } = host
    this.#scheduler = storage === undefined ? undefined : new Scheduler(host, storage)
    this.list = troupeSchedules({
      storage,
      calendar,
      newId: environment.newId,
      now: () => clock.now(),
      assertOpen: () => host.assertOpen(),
      changed: () => this.#changed(),
    })
  }

  /** Makes or changes a schedule. */
  async schedule(
    agent: AgentDefinition,
    prompt: Prompt,
    times: ScheduleTimes,
    options: object,
  ): Promise<Schedule> {
    const { storage, clock, calendar, environment } = this.#host
    this.#host.assertTakes()
    const rows = new ScheduleRows({
      storage: schedulesOf(storage),
      newId: environment.newId,
      now: () => clock.now(),
    })
    const asked = this.#asked(agent, prompt, times, options)
    for (;;) {
      const before = await rows.read(asked.key)
      if (before !== undefined && before.resourceId !== asked.resourceId) throw scheduleOfAnother(asked.key)
      const now = clock.now()
      const kept =
        before === undefined
          ? newSchedule(asked, now, calendar)
          : changedSchedule(before, asked, now, calendar)
      const written = kept === undefined ? before : await rows.write(placeOf(asked), kept, before?.revision)
      if (written === undefined) continue // another process was faster
      this.#isAtWork = true
      this.#changed()
      return shown(written)
    }
  }

  #asked(agent: AgentDefinition, prompt: Prompt, times: ScheduleTimes, options: object): Asked {
    const { clock, calendar } = this.#host
    const read = readTimes(times, clock.now(), calendar)
    const where = `schedule "${read.key}"`
    if (isRecord(options) && options['runId'] !== undefined)
      throw new ConfigurationError(
        `${where}: runId is not an option here. The time of an occurrence gives the id of its run.`,
      )
    const { started } = this.#host.check(agent, prompt, { ...options, runId: occurrenceId(read.key, 0) })
    const data = copyAsJson(options, 'options')
    if (!data.ok)
      throw new ConfigurationError(
        `${where}: ${data.problem}. A schedule outlives its process, and keeps JSON alone: give functions to the definition of the agent.`,
      )
    const said = copyAsJson(prompt, 'prompt')
    if (!said.ok) throw new ConfigurationError(`${where}: ${said.problem}.`)
    assertNoRefs(said.value, where)
    return {
      ...read,
      agent: agent.id,
      prompt: said.value,
      options: isRecord(data.value) ? data.value : {},
      resourceId: started.resourceId,
    }
  }

  /** Starts what is due, and goes on with it. */
  async begin(): Promise<void> {
    this.#isAtWork = true
    await this.#scheduler?.look()
  }

  #changed(): void {
    if (this.#isAtWork && this.#host.isOpen()) this.#scheduler?.lookLater()
  }

  stop(): void {
    this.#scheduler?.stop()
  }
}

function placeOf({ key, agent, resourceId }: Asked) {
  return { key, agent, ...(resourceId === undefined ? {} : { resourceId }) }
}

/** No run holds such a file before the occurrence, and a retention may delete it. */
function assertNoRefs(prompt: JsonValue, where: string): void {
  if (!Array.isArray(prompt)) return
  const parts = prompt.flatMap((message) => (isRecord(message) ? [message['content']].flat() : []))
  if (parts.some((part) => isRecord(part) && part['type'] === 'file' && part['ref'] !== undefined))
    throw new ConfigurationError(
      `${where}: a file by ref may be gone when the run starts. Give its url, or its data.`,
    )
}
