/** The soaks on a Postgres server. The kill soak restarts it meanwhile, every other time without an orderly end. */
import { PostgresServer, type ServerEnd } from '../support/postgres/server.ts'
import { fencingSoak, type FencingReport } from './fencing-soak.ts'
import { killSoak, type KillReport, type KillSoakOptions } from './kill-soak.ts'

export type PostgresSoakOptions = Omit<KillSoakOptions, 'server'> & { readonly restarts: number }

export async function postgresSoak({ restarts, ...options }: PostgresSoakOptions): Promise<KillReport> {
  await using server = await PostgresServer.start()
  const ends: ServerEnd[] = ['immediate', 'fast']
  let count = 0
  const restart = async (): Promise<void> => {
    await server.down(ends[count++ % ends.length] ?? 'fast')
    await server.up()
  }
  const { connectionString } = server
  return await killSoak({ ...options, server: { connectionString, restarts, restart } })
}

export async function postgresFencing(rounds: number): Promise<FencingReport> {
  await using server = await PostgresServer.start()
  return await fencingSoak(rounds, { connectionString: server.connectionString })
}
