/** What a troupe of `createTroupe` does beside its runs. The troupe of one call of an agent has none of it. */
import { TenantMeter } from '../engine/effects/tenant-meter.ts'
import type { Scheduling } from '../schedules/scheduling.ts'
import { schedulingOf } from '../schedules/scheduling-of.ts'
import type { TenantOptions } from '../tenants/tenant-options.ts'
import type { CronCalendar } from '../schedules/time-plan.ts'
import type { Core } from './core.ts'
import type { Hosting } from './core-config.ts'
import { HotReload } from './hot-reload.ts'
import { RunRecovery, type Recovery } from './recovery.ts'
import { RetentionPasses, type Retention } from './retention.ts'

interface HostingConfig {
  readonly retention?: Retention
  readonly tenants?: TenantOptions
  readonly cron?: CronCalendar
  readonly hotReload?: boolean
}

export class TroupeHosting implements Hosting {
  readonly tenants: TenantMeter | undefined
  readonly reload: HotReload | undefined
  readonly scheduling: Scheduling
  readonly #recoverer: RunRecovery
  readonly #retention: RetentionPasses | undefined

  /** Throws a `ConfigurationError` where the store lacks what an option needs. */
  constructor(core: Core, { retention, tenants, cron, hotReload }: HostingConfig) {
    const { store, environment } = core
    this.tenants = tenants && new TenantMeter(tenants, store.ledger, () => environment.clock.now())
    this.scheduling = schedulingOf(core, cron)
    this.#recoverer = new RunRecovery(core, () => this.scheduling.begin())
    this.#retention = retention && new RetentionPasses(core, retention)
    this.reload = hotReload === true ? new HotReload(core) : undefined
  }

  async recover(restored: boolean | string = false): Promise<Recovery> {
    if (restored !== false) await this.#recoverer.restored(restored)
    return this.#recoverer.recover()
  }

  /** Polls for runs whose owner has gone, every `every` milliseconds. */
  watch(every: number): void {
    this.#recoverer.watch(every)
  }

  stop(): void {
    this.#recoverer.stop()
    this.#retention?.stop()
    this.scheduling.stop()
  }
}
