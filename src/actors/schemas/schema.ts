/**
 * Schemas as the library sees them: any Standard Schema that can also describe itself as JSON Schema. Zod does both, and so
 * does a schema that `jsonSchema` makes.
 */
import type { JsonValue } from '../values/json.ts'

/** A fault that a schema has found in a value. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The answer of a schema: the value that it accepts, or the faults that it found. */
export type SchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] }

/** The part of the Standard Schema specification (https://standardschema.dev) that is used here. */
export interface Schema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>
    }
  }
}

export type InferInput<S extends Schema> = NonNullable<S['~standard']['types']>['input']

export type InferOutput<S extends Schema> = NonNullable<S['~standard']['types']>['output']

/** The context of a run without a schema: JSON, if it was given at all. */
export type AnyContext = Schema<JsonValue | undefined>
