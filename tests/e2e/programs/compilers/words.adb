-- SPDX-License-Identifier: GPL-3.0-or-later
-- words N: counts N words by their halves; every hundredth is refused by an exception.
with Ada.Command_Line;
with Ada.Containers.Indefinite_Ordered_Maps;
with Ada.Text_IO;

procedure Words is
   package Maps is new Ada.Containers.Indefinite_Ordered_Maps (String, Positive);
   Refusal : exception;
   Counts  : Maps.Map;
   Most    : Natural := 1000;
   Refused : Natural := 0;

   procedure Count (Word : String) with No_Inline is
      Half : constant String := Word (Word'First .. Word'First + (Word'Length - 1) / 2);
   begin
      if Word'Length > 2 and then Word (Word'Last - 1 .. Word'Last) = "00" then
         raise Refusal;
      elsif Counts.Contains (Half) then
         Counts.Replace (Half, Counts.Element (Half) + 1);
      else
         Counts.Insert (Half, 1);
      end if;
   end Count;
begin
   if Ada.Command_Line.Argument_Count > 0 then
      Most := Natural'Value (Ada.Command_Line.Argument (1));
   end if;
   for I in 0 .. Most - 1 loop
      begin
         Count (I'Image);
      exception
         when Refusal => Refused := Refused + 1;
      end;
   end loop;
   Ada.Text_IO.Put_Line (Counts.Length'Image & Refused'Image);
end Words;
