/** The service of accounts: a virtual object for each run whose agents share a budget, called by one workflow at a time. */
import { handlers, object, type ObjectContext, type VirtualObjectDefinition } from '@restatedev/restate-sdk'
import { accountsOf } from '../wire/addresses.ts'
import {
  answered,
  emptyAccount,
  withNews,
  type AccountAnswer,
  type AccountData,
  type AccountNews,
  type AccountQuestion,
} from '../wire/account.ts'

const state = 'account'

type AccountHandlers = {
  ask(context: ObjectContext, question: AccountQuestion): Promise<AccountAnswer>
  tell(context: ObjectContext, news: AccountNews): Promise<void>
  close(context: ObjectContext): Promise<void>
}

export type AccountService = VirtualObjectDefinition<string, AccountHandlers>

export function accountService(namespace: string): AccountService {
  const brief = { journalRetention: 0 } as const
  return object({
    name: accountsOf(namespace),
    handlers: {
      ask: handlers.object.exclusive(brief, ask),
      tell: handlers.object.exclusive(brief, tell),
      close: handlers.object.exclusive(brief, close),
    },
    // A workflow that is cancelled still owes an outcome, and still asks.
    options: { explicitCancellation: true, ingressPrivate: true },
  })
}

async function ask(context: ObjectContext, question: AccountQuestion): Promise<AccountAnswer> {
  const before = (await context.get<AccountData>(state)) ?? emptyAccount
  const { account, refusal } = answered(before, question)
  context.set(state, account)
  return { at: Date.now(), ...(refusal === undefined ? {} : { refusal }) }
}

/** Where the run has ended, there is no account any more, and late news makes none. */
async function tell(context: ObjectContext, news: AccountNews): Promise<void> {
  const before = await context.get<AccountData>(state)
  if (before !== null) context.set(state, withNews(before, news))
}

function close(context: ObjectContext): Promise<void> {
  context.clearAll()
  return Promise.resolve()
}
