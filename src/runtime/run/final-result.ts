/** The result of a run as its callers get it: its object shaped and, for a run on its own, its files with their bytes. */
import type { Schema } from '../../actors/schemas/schema.ts'
import type { Clock } from '../clock.ts'
import { lookUp } from '../definition/registry.ts'
import { withBytes } from '../files/delivered-files.ts'
import type { FinalResult } from '../handle/result.ts'
import { shapedResult } from '../handle/shaped-result.ts'
import type { Reporter } from '../report.ts'
import type { RunSpec } from './create-run.ts'
import type { RunHost } from './run-host.ts'

interface EndedRun {
  readonly clock: Clock
  readonly hookTimeout: number
  readonly report: Reporter
}

/** A promise where a schema or the store is asked. */
export function finalResult(
  result: FinalResult,
  run: EndedRun,
  spec: RunSpec,
  { admit, store }: RunHost,
): FinalResult | Promise<FinalResult> {
  const schema = schemaOf(spec)
  const shaped = schema === undefined ? result : shapedBy(schema, result, run, spec)
  const isAlone = admit !== undefined // no troupe has its blobs
  return isAlone && result.files !== undefined ? withBytes(shaped, store.blobs) : shaped
}

function schemaOf({ functions, registry, started }: RunSpec): Schema | undefined {
  return (functions.structuredOutput ?? lookUp(registry, started.agent).options.structuredOutput)?.schema
}

function shapedBy(
  schema: Schema,
  result: FinalResult,
  { clock, hookTimeout: timeout, report }: EndedRun,
  { started: { agent, runId } }: RunSpec,
): Promise<FinalResult> {
  const message = `the schema of structuredOutput threw: the object of the run "${runId}" stays JSON`
  const failed = (error: unknown): void =>
    report({ message, code: 'OBJECT_SCHEMA_THREW', where: 'run', error, runId, agent, path: agent })
  return shapedResult(result, schema, { clock, timeout, failed })
}
