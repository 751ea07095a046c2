/** `troupe schedules`: the schedules of a store, as lines; one of them is paused, resumed or removed. */
import { ConfigurationError, type Schedule, TroupeError } from '../../index.ts'
import { storedSchedules, visibleText } from '../../kit/index.ts'
import { exitCodes, type CommandOf, type Sources } from './in-terminal.ts'
import type { Terminal } from './terminal.ts'

/** Resolves with the exit code. */
export async function schedulesInTerminal(
  { key, change, agent, resource, limit, json }: CommandOf<'schedules'>,
  { store }: Sources,
  terminal: Terminal,
): Promise<number> {
  const schedules = storedSchedules({ store, ...(change === 'resume' ? await calendar() : {}) })
  const print = (value: unknown, text: string): void =>
    terminal.print(json ? `${JSON.stringify(value, undefined, 2)}\n` : text)
  try {
    if (key === undefined) {
      const page = await schedules.list({
        limit,
        ...(agent === undefined ? {} : { agent }),
        ...(resource === undefined ? {} : { resourceId: resource }),
      })
      print(page, page.items.length === 0 ? 'There is no such schedule.\n' : page.items.map(lineOf).join(''))
      if (!json && page.next !== undefined)
        terminal.print(`There are more: --limit ${limit * 2} shows them.\n`)
      return exitCodes.done
    }
    if (change === 'cancel') {
      if (!(await schedules.cancel(key))) return none(key, terminal)
      print({ key, removed: true }, `${key} is removed.\n`)
      return exitCodes.done
    }
    const schedule = change === undefined ? await schedules.get(key) : await schedules[change](key)
    if (schedule === undefined) return none(key, terminal)
    print(schedule, lineOf(schedule))
    return exitCodes.done
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'SCHEDULE_NOT_FOUND') return none(key ?? '', terminal)
    throw error
  }
}

function none(key: string, terminal: Terminal): number {
  terminal.printError(`There is no schedule "${visibleText(key)}" in this store.\n`)
  return exitCodes.noRun
}

/** Croner is installed where schedules go by cron. */
async function calendar() {
  try {
    return await import('troupe/cron')
  } catch (cause) {
    throw new ConfigurationError('schedules: --resume needs the package croner: npm install croner.', {
      cause,
    })
  }
}

function lineOf({ key, agent, status, plan, next, started, last, error }: Schedule): string {
  const parts = [
    key,
    agent,
    status,
    planText(plan),
    ...(next === undefined ? [] : [`next ${timeText(next)}`]),
    `${started} started`,
    ...(last === undefined ? [] : [`last ${last.runId}`]),
    ...(error === undefined ? [] : [`error ${error.code}`]),
  ]
  return `${parts.map(visibleText).join('  ')}\n`
}

function planText(plan: Schedule['plan']): string {
  switch (plan.type) {
    case 'at':
      return `at ${timeText(plan.at)}`
    case 'every':
      return `every ${plan.every} ms`
    case 'cron':
      return `${plan.cron} (${plan.timeZone})`
  }
}

function timeText(at: number): string {
  return new Date(at).toISOString()
}
