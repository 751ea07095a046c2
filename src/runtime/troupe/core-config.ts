/** The configuration of the core of a troupe. */
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
import type { TenantMeter } from '../engine/effects/tenant-meter.ts'
import type { HotReload } from './hot-reload.ts'

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
  readonly onError?: OnError
  /** A troupe that no caller can reach any more must not keep the process alive. */
  readonly isAlone?: boolean
  /** Default: the environment of this process. */
  readonly environment?: Environment
  /** Performs the effects of all runs, and keeps their deadlines. Default: the real performers. */
  readonly door?: Perform | undefined
}

/** What a hosted troupe does beside its runs, as its core sees it. */
export interface Hosting {
  /** The budgets of tenants; `undefined`: they have none. */
  readonly tenants: TenantMeter | undefined
  /** `undefined`: the troupe takes no part in hot reload. */
  readonly reload: HotReload | undefined
  /** Ends the work in the background. */
  stop(): void
}
