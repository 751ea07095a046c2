/** What type tests ask with. They are compiled and never run: see "Types" in CONTRIBUTING.md. */

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** `expectType<string>()(value)` compiles when the value is of exactly this type; `any` and a union are not. */
export function expectType<Expected>() {
  return <Actual>(
    _value: Actual,
    ..._equal: Equal<Actual, Expected> extends true ? [] : ['expected', Expected, 'actual', Actual]
  ): void => undefined
}
