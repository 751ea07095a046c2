/** Checks a budget where it is written. */
import { z } from 'zod'
import { ConfigurationError } from '../errors.ts'
import type { BudgetOptions } from './budget-options.ts'

const price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().optional(),
})

const budget = z
  .strictObject({
    tokens: z.int().positive().optional(),
    cost: z.number().positive().optional(),
    wallClock: z.number().positive().optional(),
    modelCalls: z.int().positive().optional(),
    warnAt: z.number().min(0).max(1).optional(),
    prices: z.record(z.string(), price).optional(),
  })
  .refine(({ cost, prices }) => cost === undefined || prices !== undefined, {
    path: ['cost'],
    message: 'a limit of cost needs prices',
  })

/** Throws a `ConfigurationError` that says which limit is wrong. */
export function validateBudget(options: BudgetOptions, where: string): void {
  const checked = budget.safeParse(options)
  if (checked.success) return
  const issue = checked.error.issues[0]
  throw new ConfigurationError(
    `${where}${issue?.path.map((part) => `.${String(part)}`).join('')}: ${issue?.message}`,
  )
}
