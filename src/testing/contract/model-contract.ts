/** The contract of models: what the runtime expects of each `ChatModel`, as cases for any test runner. */
import { aFunction, listOf, oneOf } from '../../actors/strict/checks.ts'
import { optional, readOptions, required, type Fields } from '../../actors/strict/read-options.ts'
import { caseOf } from './asking.ts'
import { conversationPlans } from './conversations.ts'
import { failurePlans } from './failures.ts'
import { filePlans } from './files.ts'
import { replyPlans } from './replies.ts'
import type { ContractCase, ModelSubject } from './subject.ts'

const fields: Fields<ModelSubject> = {
  open: required(aFunction),
  lacks: optional(
    listOf(
      oneOf(
        'reasoning',
        'made-files',
        'sources',
        'malformed',
        'length',
        'content-filter',
        'cached',
        'cache-write',
        'reasoning-tokens',
        'rate-limited',
        'unavailable',
        'refused',
        'cut',
        'silent',
      ),
    ),
  ),
}

/**
 * The cases that a model must pass, whoever wrote it: `for (const { name, run } of modelContract({ open })) test(name, run)`.
 * Each case opens a model of its own, whose server gives the replies of the case. A case rejects with the error
 * `CONTRACT_BROKEN`, which names the expectation. Throws a `ConfigurationError` for an unknown option.
 */
export function modelContract(subject: ModelSubject): readonly ContractCase[] {
  const read = readOptions<ModelSubject>(subject, 'modelContract', fields)
  return [...replyPlans, ...conversationPlans, ...filePlans, ...failurePlans]
    .filter(({ needs = [] }) => !needs.some((feature) => read.lacks?.includes(feature)))
    .map((plan) => caseOf(plan, read))
}
