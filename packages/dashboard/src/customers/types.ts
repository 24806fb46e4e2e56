import type { Answer } from '@kontor/sdk'

export type Customer = Answer<'listCustomers'>['items'][number]
export type CustomerDetails = Answer<'getCustomer'>
export type Address = CustomerDetails['addresses'][number]
