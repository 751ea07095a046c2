/** The configuration of the core of a troupe. */
import type { CronCalendar } from '../schedules/time-plan.ts'
import type { InspectionEvent } from 'xstate'
import type { AnyAgent } from '../definition/definition.ts'
import type { Clock } from '../clock.ts'
import type { AroundOption } from '../engine/around/observer.ts'
import type { Environment } from '../environment.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import type { Store } from '../journal/store.ts'
import type { VersionOverrides } from '../options/version-selectors.ts'
import type { Perform } from '../engine/effects/perform.ts'
import type { OnError } from '../report.ts'
import type { TenantOptions } from '../tenants/tenant-options.ts'
import type { Retention } from './retention.ts'

export interface CoreConfig {
  readonly agents: readonly AnyAgent[]
  readonly versions?: VersionOverrides | undefined
  readonly store?: Store
  readonly inspect?: (event: InspectionEvent) => void
  readonly around?: AroundOption
  readonly interpreter?: InterpreterName
  readonly clock?: Clock
  readonly passivateAfter?: number
  readonly leaseTtl?: number
  readonly pollInterval?: number
  readonly retention?: Retention
  readonly tenants?: TenantOptions
  readonly cron?: CronCalendar
  readonly onError?: OnError
  /** Whether newer troupes of this process take its runs, and it those of older ones. */
  readonly hotReload?: boolean
  /** A troupe that no caller can reach any more must not keep the process alive. */
  readonly isAlone?: boolean
  /** Default: the environment of this process. */
  readonly environment?: Environment
  /** Performs the effects of all runs, and keeps their deadlines. Default: the real performers. */
  readonly door?: Perform | undefined
}
