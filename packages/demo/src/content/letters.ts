/** Past letters of the newsletter. Days after the business was made. Texts are templates, filled in for each reader. */
export const LETTERS = [
  {
    day: 75,
    title: 'Letter No. 1: the nights get longer',
    body: '<p>Dear {{ subscriber.name | default: "friend of the harbour" }},</p><p>the ferry is back on its autumn timetable, which means that the last one leaves while it is still light, for another week. We have used the evenings to wax the oilskins and to count the lanterns: there are more than we thought, so the blue ones are on the first page again.</p><p>In the journal, Jonas explains why he does not measure. And the mill has sent the first blankets of the year.</p><p>Until next month,<br>Marit, from the boathouse</p>',
  },
  {
    day: 106,
    title: 'Letter No. 2: soup, wool and a tide calendar',
    body: '<p>Dear {{ subscriber.name | default: "friend of the harbour" }},</p><p>it rained for nine days, so we cooked. The soup from the journal has now been tried by everybody on the quay, and the verdict is: more dill.</p><p>The tide calendar for next year is here. We print few, and when they are gone the press is already busy with something else.</p><p>Thank you for reading,<br>Marit</p>',
  },
] as const
