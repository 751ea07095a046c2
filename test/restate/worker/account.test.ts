/** The account of a run adds up what its workflows tell, in whatever order their messages come. */
import { describe, expect, test } from 'vitest'
import { answered, emptyAccount, withNews, type AccountQuestion } from '../../../src/restate/wire/account.ts'

const spent = (modelCalls: number, tokens = 0) => ({ modelCalls, tokens, cost: 0 })
const asks = (path: string, number: number, more: Partial<AccountQuestion> = {}): AccountQuestion => ({
  path,
  number,
  spent: spent(1),
  ended: [],
  limits: { modelCalls: 2 },
  isCounted: true,
  ...more,
})

describe('an account', () => {
  test('counts a call in progress of another workflow, and no refused call', () => {
    const { account: first } = answered(emptyAccount, asks('top/a', 0))
    const { account: second, refusal: none } = answered(first, asks('top/b', 0))
    expect(none).toBeUndefined()
    const { account, refusal } = answered(second, asks('top/c', 0))
    expect(refusal).toMatchObject({ code: 'BUDGET_EXCEEDED', message: expect.stringContaining('2 of 2') })
    expect(account.parts['top/c']).toEqual({ number: 0, spent: spent(0) })
  })

  test('takes no older message for the newer', () => {
    const newer = withNews(emptyAccount, { path: 'top/a', number: 1, spent: spent(1, 30), ended: [] })
    const after = withNews(newer, { path: 'top/a', number: 0, spent: spent(1), ended: [] })
    expect(after.parts).toEqual({ 'top/a': { number: 1, spent: spent(1, 30) } })
  })

  test('counts a subagent that has ended once: with the workflow above it', () => {
    const below = withNews(emptyAccount, { path: 'top/a/x', number: 4, spent: spent(2, 20), ended: [] })
    const parted = withNews(below, { path: 'top/a', number: 0, spent: spent(3, 25), ended: ['top/a/x'] })
    const late = withNews(parted, { path: 'top/a/x', number: 5, spent: spent(2, 20), ended: [] })
    expect(late.parts).toEqual({ 'top/a': { number: 0, spent: spent(3, 25) } })
    expect(answered(late, asks('top', 0, { limits: { modelCalls: 4 } })).refusal).toBeUndefined()
  })

  test('lets a last turn pass a limit, and none a reply without usage', () => {
    const full = withNews(emptyAccount, { path: 'top/a', number: 0, spent: spent(2), ended: [] })
    const last = { spent: spent(0), isCounted: false }
    expect(answered(full, asks('top', 0, last)).refusal).toBeUndefined()
    const silent = { ...spent(1), silentModel: 'test/silent' }
    const unknown = withNews(full, { path: 'top/a', number: 1, spent: silent, ended: [] })
    expect(answered(unknown, asks('top', 0, last)).refusal).toMatchObject({ code: 'USAGE_UNKNOWN' })
  })
})
