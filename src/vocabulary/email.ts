import { Check } from 'typebox/value'
import { Email } from './schemas.ts'

/** Whether requests accept this email address. Every other input must check it as well. */
export const isEmail = (text: string): boolean => Check(Email, text)
