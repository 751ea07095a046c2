/**
 * Skills: folders with a `SKILL.md`, whose text a model loads when a task needs it.
 * @experimental
 */
export {
  type LoadedSkill,
  type Skill,
  type SkillFile,
  type Skills,
  type SkillsOptions,
  readSkills,
} from './skills.ts'
