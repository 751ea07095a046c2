/** Checks task types and patterns where they are written, in code or in configuration. */
import type { z } from 'zod'
import {
  patternItemSchema,
  patternKind,
  taskTypeKind,
  taskTypeSchema,
  type CheckedPattern,
  type CheckedTaskType,
} from '../actors/task-types.ts'
import { ConfigurationError } from '../errors.ts'
import type { MetaRouterOptions } from './options.ts'

export function validateTaskTypes(
  { taskTypes, patterns }: { readonly taskTypes: readonly unknown[]; readonly patterns: readonly unknown[] },
  where: string,
): { readonly taskTypes: readonly CheckedTaskType[]; readonly patterns: readonly CheckedPattern[] } {
  return {
    taskTypes: taskTypes.map((type, i) => checked(taskTypeSchema, type, `${where}: taskTypes[${i}]`)),
    patterns: patterns.map((item, i) => checked(patternItemSchema, item, `${where}: patterns[${i}]`)),
  }
}

const schemas: Readonly<Record<string, z.ZodType>> = {
  [taskTypeKind]: taskTypeSchema,
  [patternKind]: patternItemSchema,
}

/** Throws a `ConfigurationError` for an item of a kind that the library knows, and that does not have its shape. */
export function validateItem(kind: string, key: string, value: unknown): void {
  const schema = Object.hasOwn(schemas, kind) ? schemas[kind] : undefined
  if (schema !== undefined) checked(schema, value, `config: ${kind} "${key}"`)
}

function checked<Value>(schema: z.ZodType<Value>, value: unknown, where: string): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new ConfigurationError(
    `${where}${issue?.path.map((part) => `.${String(part)}`).join('')}: ${issue?.message}`,
  )
}

/** Throws a `ConfigurationError` for a pattern that no agent stands for. */
export function validateRoute(
  { pattern }: MetaRouterOptions,
  agents: Readonly<Record<string, unknown>>,
  where: string,
): void {
  if (pattern !== undefined && !Object.hasOwn(agents, pattern)) {
    throw new ConfigurationError(
      `${where}: no agent stands for the pattern "${pattern}". There are: ${Object.keys(agents).join(', ')}.`,
    )
  }
}
