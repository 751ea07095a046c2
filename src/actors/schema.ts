/**
 * Schemas as the library sees them: any Standard Schema that can also describe itself as JSON Schema
 * (zod 4.2 and later does both). Nothing else of a schema library is used, except for how zod is run.
 */
import { z } from 'zod'
import { ConfigurationError, toErrorData } from '../errors.ts'
import { isRecord, type JsonValue } from './values/json.ts'
import { toJsonValue } from './values/to-json.ts'

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type Result<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] }

/** The part of the Standard Schema specification (https://standardschema.dev) that is used here. */
export interface Schema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>
    }
  }
}

export type InferInput<S extends Schema> = NonNullable<S['~standard']['types']>['input']

export type InferOutput<S extends Schema> = NonNullable<S['~standard']['types']>['output']

export type Validation<Output = unknown> =
  | { readonly ok: true; readonly value: Output }
  | {
      readonly ok: false
      readonly problem: string
      /** Set where the schema threw: the schema failed, it did not find the value wrong. */
      readonly failure?: { readonly thrown: unknown }
    }

/** Validates at once, or returns the promise of an asynchronous schema. `failure` marks a schema that threw. */
export function validate<S extends Schema>(
  schema: S,
  value: unknown,
): Validation<InferOutput<S>> | Promise<Validation<InferOutput<S>>> {
  try {
    const result = run(schema, value)
    return result instanceof Promise ? result.then(toValidation, toProblem) : toValidation(result)
  } catch (thrown) {
    return toProblem(thrown)
  }
}

/**
 * The specification's `validate` of zod tries every schema synchronously first; the rejection of an asynchronous check
 * then has no handler and ends the process. Run like this, zod checks once, and answers at once where it can.
 */
function run<Output>(
  schema: Schema<unknown, Output>,
  value: unknown,
): Result<Output> | Promise<Result<Output>> {
  if (!(schema instanceof z.core.$ZodType)) return schema['~standard'].validate(value)
  const context = { async: true }
  const toResult = ({ value, issues }: z.core.ParsePayload): Result<Output> =>
    issues.length === 0
      ? { value: value as Output }
      : { issues: issues.map((issue) => z.core.util.finalizeIssue(issue, context, z.core.config())) }
  const ran = schema._zod.run({ value, issues: [] }, context)
  return ran instanceof Promise ? ran.then(toResult) : toResult(ran)
}

function toValidation<Output>(result: Result<Output>): Validation<Output> {
  if (result.issues === undefined) return { ok: true, value: result.value }
  return { ok: false, problem: result.issues.map(describeIssue).join('; ') }
}

function toProblem(thrown: unknown): { ok: false; problem: string; failure: { thrown: unknown } } {
  return { ok: false, problem: toErrorData(thrown).message, failure: { thrown } }
}

function describeIssue(issue: Issue): string {
  const path = (issue.path ?? [])
    .map((segment) => String(isRecord(segment) ? segment['key'] : segment))
    .join('.')
  return path === '' ? issue.message : `${path}: ${issue.message}`
}

/**
 * The JSON Schema of the values that a schema accepts, as an object schema for a model. Throws a `ConfigurationError`
 * that names `where` when the schema cannot describe itself, or does not describe an object.
 */
export function toJsonSchema(schema: Schema, where: string): Readonly<Record<string, JsonValue>> {
  const converter = schema['~standard'].jsonSchema
  if (converter === undefined) {
    throw new ConfigurationError(
      `${where}: a "${schema['~standard'].vendor}" schema cannot describe itself as JSON Schema. ` +
        `Use zod 4.2 or later, or a Standard Schema that implements "~standard".jsonSchema.`,
    )
  }
  let described: JsonValue
  try {
    described = toJsonValue(converter.input({ target: 'draft-2020-12' }), where)
  } catch (cause) {
    throw new ConfigurationError(`${where}: the schema cannot be expressed as JSON Schema`, { cause })
  }
  if (!isRecord(described) || described['type'] !== 'object') {
    throw new ConfigurationError(`${where}: expected a schema of an object, for example z.object({ … })`)
  }
  const { $schema: _dialect, ...rest } = described as Record<string, JsonValue>
  return rest
}

/** The context of a run without a schema: JSON, if it was given at all. */
export type AnyContext = Schema<JsonValue | undefined>

/** The context of a run as a definition sees it. Rejects with a `ConfigurationError` that names the fault. */
export async function contextFor(
  schema: Schema | undefined,
  context: JsonValue | undefined,
  where: string,
): Promise<unknown> {
  if (schema === undefined) return context
  const checked = await validate(schema, context)
  if (checked.ok) return checked.value
  throw new ConfigurationError(
    `${where}: the context of the run does not fit contextSchema: ${checked.problem}`,
  )
}
